/** A Slack that accepts and does not say so: nothing is lost, and exactly what it has hidden is told twice. */
import { expect } from 'chai';
import type { ReceivedCall } from '../../../src/stand-ins/slack-stand-in.ts';
import { type BridgeWorld, createBridgeWorld } from '../../support/bridge-world.ts';
import type { SlackFault } from '../../support/faulty-slack.ts';
import { JobService } from '../../support/proof-service.ts';
import { keyedCallbacks, pairsOf, tally, toldBy, toldOf } from '../../support/proof-tally.ts';
import { until } from '../../support/proof-wait.ts';
import { sized } from '../../support/test-size.ts';

const CALLBACKS = sized(21, 60);
const SLACK = 'slack:#ops';

const silence: SlackFault = { kind: 'answer_late', until: () => new Promise(() => undefined) };

describe('A Slack that accepts and does not say so', () => {
  let world: BridgeWorld;

  afterEach(() => world.close());

  /** Every third callback, once. */
  const onceForEveryThird = (fault: SlackFault) => {
    const seen = new Set<string>();
    return ({ args }: ReceivedCall) => {
      const key = toldOf(String(args?.['text']), '').trim();
      const isFirst = !seen.has(key);
      seen.add(key);
      return isFirst && Number(key.slice('key-'.length)) % 3 === 0 ? fault : undefined;
    };
  };
  const told = () => toldBy(world.slack);
  for (const { name, fault, receiver, delivery, status } of [
    {
      name: 'but stays silent is waited for a minute, and its callbacks are answered 200 meanwhile',
      fault: silence,
      receiver: 'answer_within: 8s',
      delivery: 'timeout: 4s',
      status: 200,
    },
    {
      name: 'but breaks the connection is answered 502',
      fault: { kind: 'reset_after_accepting' },
      receiver: 'answer_within: 5s',
      delivery: '',
      status: 502,
    },
  ] as const)
    it(`${name}; exactly those messages, and no others, come twice`, async () => {
      world = await createBridgeWorld(
        `
receiver: { listen: '127.0.0.1:0', ${receiver} }
delivery: { attempts_per_request: 1, ${delivery} }
default_route: { notify: [{ slack: '#ops' }] }`,
        { faultOf: onceForEveryThird(fault) },
      );
      const urlOf = () => `http://127.0.0.1:${world.app.receiver.port}/callbacks`;
      const service = new JobService({ urlOf, retryMs: 100, concurrency: 20 });
      const callbacks = keyedCallbacks(CALLBACKS);
      const thirds = callbacks.filter((_, index) => index % 3 === 0);
      await service.postAll(callbacks);
      // A retry that comes during the attempt is taken over.
      await until('they have come', () => told().length >= CALLBACKS + thirds.length, 180_000);
      expect(service.statuses).to.include(status);
      const { missing, repeated } = tally(told(), pairsOf(callbacks, [SLACK]));
      expect(missing).to.deep.equal([]);
      expect([...repeated].sort()).to.deep.equal(pairsOf(thirds, [SLACK]).map((pair) => [pair, 1]));
    });
});
