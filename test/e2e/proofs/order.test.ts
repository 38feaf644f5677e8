/** The callbacks of one job are told in their order, to each destination, however they are delayed. */
import { expect } from 'chai';
import type { SlackFault } from '../../support/faulty-slack.ts';
import { type BridgeWorld, createBridgeWorld } from '../../support/bridge-world.ts';
import { keyedCallback, keyOf } from '../../support/proof-tally.ts';
import { seededRandom, until } from '../../support/proof-wait.ts';
import { scaledClock } from '../../support/scaled-clock.ts';
import { sized } from '../../support/test-size.ts';

const JOBS = sized(12, 40);
const FACTOR = 40;

/** Of real time, between two POSTs on a busy machine. */
const LONGEST_PAUSE_S = 5;

const SEED = Number(process.env['PROOF_SEED'] ?? Date.now() % 1_000_000);

/** Of real time: Botbell waits twice as long after each failure of the same message. */
const LONGEST_BACKOFF_MS = 100_000;
const DOWN: SlackFault = { kind: 'status', status: 503 };

function settings(receiver: string, factor: number): string {
  return `
receiver: { listen: '127.0.0.1:0', ${receiver} }
delivery: { timeout: ${5 * factor}s, attempts_per_request: 1, take_over_after: ${Math.max(10, LONGEST_PAUSE_S * factor)}s }
default_route: { notify: [{ slack: '#ops' }] }
`;
}

const started = (number: number) => keyedCallback(keyOf(number), { status: 2, message: null });
const failed = (number: number) => keyedCallback(keyOf(number), { status: 1 });
const corrected = (number: number) => keyedCallback(keyOf(number), { status: 0, message: 'corrected' });

/** What each message is about: `▶` running, `✗` failed, `✓` succeeded. */
function kindOf(text: string): string {
  if (text.includes('is running')) return '▶';
  return text.includes('failed') ? '✗' : '✓';
}

describe('Inside one job', () => {
  let world: BridgeWorld;
  let faultOf: () => SlackFault | undefined;

  const open = async (receiver: string, factor = 1) => {
    faultOf = () => undefined;
    world = await createBridgeWorld(settings(receiver, factor), {
      clock: scaledClock(factor),
      faultOf: () => faultOf(),
    });
  };

  const toldOfJob = (number: number) =>
    world.slack.messages
      .filter(({ text }) => text.includes(keyOf(number)))
      .map(({ text }) => kindOf(text))
      .join('');
  const nothingPending = async () => (await world.metrics()).includes('botbell_deliveries_pending 0\n');

  afterEach(() => world.close());

  for (const mode of ['delivered', 'accepted']) {
    it(`order holds for ${JOBS} jobs at once in \`${mode}\` mode while Slack fails now and then`, async () => {
      await open(`answer_when: ${mode}, answer_within: 10m`, FACTOR);
      const random = seededRandom(SEED);
      faultOf = () => (random() < 0.3 ? DOWN : undefined);
      const jobs = Array.from({ length: JOBS }, (_, number) => number);
      await Promise.all(
        jobs.map(async (number) => {
          await world.post(started(number));
          await world.post(failed(number));
          await world.post(corrected(number));
        }),
      );
      // Something that fails five times in a row waits for long.
      await until('nothing is pending', nothingPending, LONGEST_BACKOFF_MS);
      const orders = jobs.map((number) => `${number}: ${toldOfJob(number)}`);
      expect(
        orders.filter((order) => !/: ▶?✗✓$/.test(order)),
        `seed ${SEED}`,
      ).to.deep.equal([]);
    });
  }
});
