/** Slack is down while hundreds of callbacks are accepted: memory stays flat, and nothing is lost. */
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import type { SlackFault } from '../../support/faulty-slack.ts';
import { type BridgeWorld, createBridgeWorld } from '../../support/bridge-world.ts';
import { JobService } from '../../support/proof-service.ts';
import { keyedCallback, keyOf, pairsOf, toldBy } from '../../support/proof-tally.ts';
import { until } from '../../support/proof-wait.ts';

const CALLBACKS = 500;
const AT_ONCE = CALLBACKS / 10;

/** Each callback carries so much, so that keeping them in memory would show. */
const BODY_BYTES = 80_000;

const SETTINGS = `
receiver: { listen: '127.0.0.1:0', answer_when: accepted, answer_within: 60s }
delivery: { attempts_per_request: 1, timeout: 2m, give_up_after: 24h }
default_route: { notify: [{ slack: '#ops' }] }
`;

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

/** As if the time until the next attempts had passed. */
function makeAllDue(file: string): void {
  const database = new DatabaseSync(file);
  database.exec("update deliveries set due_at = 0 where state = 'pending'");
  database.close();
}

describe('Slack down', () => {
  let world: BridgeWorld;
  let fault: SlackFault | undefined = { kind: 'status', status: 503 };

  afterEach(() => world.close());

  it(`keeps none of ${CALLBACKS} accepted callbacks in memory, and loses none`, async () => {
    world = await createBridgeWorld(SETTINGS, { faultOf: () => fault });
    const service = new JobService({
      urlOf: () => `http://127.0.0.1:${world.app.receiver.port}/callbacks`,
      retryMs: 100,
      concurrency: 16,
    });
    const callbackOf = (number: number) =>
      keyedCallback(keyOf(number), { output: { log: `${number}`.padEnd(BODY_BYTES, 'x') } });
    const post = async (from: number, to: number) => {
      for (let number = from; number < to; number += AT_ONCE) {
        const callbacks = Array.from({ length: AT_ONCE }, (_, index) => callbackOf(number + index));
        await service.postAll(callbacks);
      }
    };
    await post(0, AT_ONCE);
    const heapBefore = heapAfterCollection();
    await post(AT_ONCE, CALLBACKS);
    const heapAfter = heapAfterCollection();
    expect(world.slack.messages).to.deep.equal([]);
    const keptBytes = 0.9 * CALLBACKS * BODY_BYTES;
    expect(heapAfter - heapBefore).to.be.below(keptBytes / 3);
    fault = undefined;
    await world.restart((yaml) => {
      makeAllDue(join(world.folder, 'botbell.db'));
      return yaml;
    });
    await until('everybody is told', () => world.slack.messages.length >= CALLBACKS);
    const expected = Array.from({ length: CALLBACKS }, (_, number) => ({ job_id: keyOf(number) }));
    expect(toldBy(world.slack).sort()).to.deep.equal(pairsOf(expected, ['slack:#ops']));
  });
});
