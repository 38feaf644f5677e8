/** The service may never post again: what it leaves undelivered is Botbell's, to its end. */
import { expect } from 'chai';
import type { SlackFault } from '../../support/faulty-slack.ts';
import { type BridgeWorld, createBridgeWorld } from '../../support/bridge-world.ts';
import { keyedCallback, keyedCallbacks, keyOf, pairsOf, toldBy } from '../../support/proof-tally.ts';
import { until } from '../../support/proof-wait.ts';
import { scaledClock } from '../../support/scaled-clock.ts';
import { sized } from '../../support/test-size.ts';

const CALLBACKS = sized(12, 40);

/** Botbell's own waits are seconds to minutes long. */
const FACTOR = 20;

const DOWN: SlackFault = { kind: 'status', status: 503 };

function settings(delivery: string): string {
  return `
receiver: { listen: '127.0.0.1:0', answer_within: 10m }
delivery: { timeout: ${5 * FACTOR}s, attempts_per_request: 1, alerts: [operators], ${delivery} }
groups: { operators: [{ email: [operators@example.com] }] }
routes:
  - bot_id: wrong-address
    notify: [{ email: [nobody@example.com] }]
default_route: { notify: [{ slack: '#ops' }, { email: [ops@example.com] }] }
`;
}

describe('A service that never retries', () => {
  let world: BridgeWorld;
  let fault: SlackFault | undefined;

  const open = async (delivery: string) => {
    world = await createBridgeWorld(settings(delivery), { clock: scaledClock(FACTOR), faultOf: () => fault });
  };

  const told = () => toldBy(world.slack, world.mail);
  const alerts = () => world.mail.mails.filter(({ to }) => to.includes('operators@example.com'));
  const metric = async (line: string) => (await world.metrics()).includes(`${line}\n`);
  const nothingPending = () => metric('botbell_deliveries_pending 0');

  afterEach(() => world.close());

  it('has everybody told once all the same, some time after the remote is back', async () => {
    await open('take_over_after: 1m, give_up_after: 24h');
    const callbacks = keyedCallbacks(CALLBACKS);
    fault = DOWN;
    const answers = await Promise.all(callbacks.map((callback) => world.post(callback)));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([502]));
    const callsBefore = world.slack.calls.length;
    await until('Botbell tries by itself', () => world.slack.calls.length >= callsBefore + CALLBACKS);
    fault = undefined;
    await until('nothing is pending', nothingPending);
    expect(told().sort()).to.deep.equal(pairsOf(callbacks, ['slack:#ops', 'email:ops@example.com']).sort());
    expect(alerts()).to.deep.equal([]);
  });

  it('is not overtaken while it may still retry', async () => {
    await open('take_over_after: 1h');
    fault = DOWN;
    const [callback] = keyedCallbacks(1);
    expect((await world.post(callback)).status).to.equal(502);
    fault = undefined;
    const answer = await world.post(callback);
    expect(answer.body).to.deep.include({ result: 'delivered' });
    expect(world.slack.calls).to.have.length(2);
  });

  it('leaves a dead letter when its time is up, of which the operators are told once', async () => {
    await open('take_over_after: 90s, give_up_after: 80s');
    fault = DOWN;
    const callbacks = keyedCallbacks(3);
    for (const callback of callbacks) expect((await world.post(callback)).status).to.equal(502);
    await until('three dead letters', () => metric('botbell_deliveries_dead 3'));
    await until('an alert', () => alerts().length > 0);
    fault = undefined;
    await until('nothing is pending', nothingPending);
    expect(world.slack.messages, 'a dead letter is not sent').to.deep.equal([]);
    expect(alerts()).to.have.length(1);
    expect(alerts()[0]?.parsed.text).to.contain('slack:#ops');
  });

  it('hears of no alert about an alert', async () => {
    await open('take_over_after: 90s, give_up_after: 80s');
    world.mail.faults.push({ at: 'rcpt', does: 'refuse', code: 550, text: 'no such user' });
    fault = DOWN;
    await world.post(keyedCallback(keyOf(1)));
    // The mail and the Slack message of the callback, and the two causes' alerts.
    await until('four dead letters', () => metric('botbell_deliveries_dead 4'));
    expect(await nothingPending()).to.equal(true);
    expect(world.mail.mails).to.deep.equal([]);
  });

  it('has an unknown recipient given up on the answer that says so', async () => {
    await open('permanent_attempts: 2');
    world.mail.faults.push({
      at: 'rcpt',
      does: 'refuse',
      code: 550,
      text: 'no such user',
      address: 'nobody@example.com',
    });
    const callback = keyedCallback(keyOf(1), { bot_id: 'wrong-address' });
    const answers = [await world.post(callback), await world.post(callback), await world.post(callback)];
    expect(answers.map(({ status }) => status)).to.deep.equal([502, 502, 200]);
    expect(answers[2]?.body.result).to.equal('gave_up');
    await until('an alert', () => alerts().length === 1);
  });
});
