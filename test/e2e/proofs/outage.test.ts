/** Slack is down for ten minutes while thousands of callbacks are accepted: memory stays flat, and nothing is lost. */
import { expect } from 'chai';
import type { SlackFault } from '../../support/faulty-slack.ts';
import { type BridgeWorld, createBridgeWorld } from '../../support/bridge-world.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import { JobService } from '../../support/proof-service.ts';
import { keyedCallback, keyOf, pairsOf, toldBy } from '../../support/proof-tally.ts';
import { until } from '../../support/proof-wait.ts';
import { scaledClock } from '../../support/scaled-clock.ts';

const CALLBACKS = 500;
const AT_ONCE = CALLBACKS / 10;
const OUTAGE_MS = 600_000;

/** Ten minutes in six seconds. Store and remotes, whose time limits shrink as well, must still be able to keep them. */
const FACTOR = 100;

/** Each callback carries so much, so that keeping them in memory would show. */
const BODY_BYTES = 80_000;

const SETTINGS = `
receiver: { listen: '127.0.0.1:0', answer_when: accepted, answer_within: 10m }
delivery: { attempts_per_request: 1, timeout: 2m, give_up_after: 24h }
default_route: { notify: [{ slack: '#ops' }] }
`;

function heapAfterCollection(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

describe('Slack down for ten minutes', () => {
  let world: BridgeWorld;
  let fault: SlackFault | undefined = { kind: 'status', status: 503 };

  afterEach(() => world.close());

  it(`keeps none of ${CALLBACKS} accepted callbacks in memory, and loses none`, async () => {
    const clock = scaledClock(FACTOR);
    world = await createBridgeWorld(SETTINGS, { clock, faultOf: () => fault });
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
    const begun = clock.now();
    await post(0, AT_ONCE);
    const heapBefore = heapAfterCollection();
    await post(AT_ONCE, CALLBACKS);
    const heapWhenAllAreIn = heapAfterCollection();
    await until('the ten minutes are over', () => clock.now() - begun > OUTAGE_MS);
    const heapAfter = heapAfterCollection();
    expect(world.slack.messages).to.deep.equal([]);
    const keptBytes = 0.9 * CALLBACKS * BODY_BYTES;
    expect(Math.max(heapWhenAllAreIn, heapAfter) - heapBefore).to.be.below(keptBytes / 3);
    fault = undefined;
    await until('everybody is told', () => world.slack.messages.length >= CALLBACKS);
    const expected = Array.from({ length: CALLBACKS }, (_, number) => ({ job_id: keyOf(number) }));
    expect(toldBy(world.slack).sort()).to.deep.equal(pairsOf(expected, ['slack:#ops']));
  });
});
