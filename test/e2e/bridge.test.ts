/** The bridge as the job service and the people told see it: one POST in, Slack and mail out, one honest answer. */
import { expect } from 'chai';
import {
  type BridgeWorld,
  callback,
  createBridgeWorld,
  fixture,
  FIXTURE_NAMES,
  SLACK_TOKEN,
  SMTP_PASSWORD,
} from '../support/bridge-world.ts';
import { RawClient } from '../support/raw-client.ts';

const ROUTES = `
delivery: { timeout: 15s, attempts_per_request: 1 }
receiver: { listen: '127.0.0.1:0', answer_within: 20s }
groups:
  operators:
    - slack: '#ops'
      mention_on_error: '@here'
    - email: [ops@example.com]
routes:
  - bot_id: 'quiet-*'
    on: [error]
    notify: [operators]
  - bot_id: archived
    notify: [{ slack: '#old' }]
  - bot_id: two-mails
    notify: [{ email: [a@example.com, b@example.com] }]
default_route:
  notify: [operators]
`;

describe('The bridge', () => {
  let world: BridgeWorld;

  beforeEach(async () => {
    world = await createBridgeWorld(ROUTES);
  });

  afterEach(() => world.close());

  for (const name of FIXTURE_NAMES) {
    it(`answers 200 to ${name}.json once Slack and mail have taken it`, async () => {
      const answer = await world.post(fixture(name));
      expect(answer.body).to.deep.include({
        result: 'delivered',
        deliveries: [
          { destination: 'slack:#ops', state: 'delivered' },
          { destination: 'email:ops@example.com', state: 'delivered' },
        ],
      });
      expect(answer.status).to.equal(200);
      expect(world.slack.messages.map(({ channel }) => channel)).to.deep.equal(['#ops']);
      expect(world.mail.mails.map(({ to }) => to)).to.deep.equal([['ops@example.com']]);
    });
  }

  it('answers 502 while Slack fails, and on the retry tells only whoever was missing', async () => {
    world.slack.faults.push({ kind: 'status', status: 500 });
    const sent = callback();
    const first = await world.post(sent);
    expect(first.status).to.equal(502);
    expect(first.headers['retry-after']).to.equal('30');
    expect(first.headers['content-type']).to.match(/^application\/problem\+json/);
    expect(first.body.deliveries?.map(({ destination, state }) => `${destination} ${state}`)).to.deep.equal([
      'slack:#ops pending',
      'email:ops@example.com delivered',
    ]);
    const second = await world.post({ ...sent, elapsed_time: 75 });
    expect([second.status, second.body.result]).to.deep.equal([200, 'delivered']);
    expect([world.slack.messages.length, world.mail.mails.length]).to.deep.equal([1, 1]);
    const third = await world.post(sent);
    expect([third.status, third.body.result]).to.deep.equal([200, 'duplicate']);
    expect([world.slack.messages.length, world.mail.mails.length]).to.deep.equal([1, 1]);
  });

  it('shows no secret in any answer or metric, whatever fails', async () => {
    world.slack.faults.push({ kind: 'error', error: 'invalid_auth' });
    world.mail.faults.push({ at: 'auth', does: 'refuse', code: 535, text: `no ${SMTP_PASSWORD}`, times: 1 });
    const answer = await world.post(callback());
    expect(answer.status).to.equal(502);
    const seen = JSON.stringify(answer) + (await world.metrics());
    expect(seen).to.not.include(SLACK_TOKEN);
    expect(seen).to.not.include(SMTP_PASSWORD);
  });

  it('counts what callbacks cost the BOTs in running time', async () => {
    world.slack.faults.push({ kind: 'status', status: 503 });
    const sent = callback();
    await world.post(sent);
    await world.post(sent);
    const metrics = await world.metrics();
    expect(metrics).to.include('botbell_bot_seconds_total{cause="retry"} 30');
    expect(metrics).to.include('botbell_callbacks_total{status="error",result="failed"} 1');
    expect(metrics).to.include('botbell_callbacks_total{status="error",result="delivered"} 1');
    expect(metrics).to.include('botbell_deliveries_total{channel="slack",outcome="transient"} 1');
    expect(metrics).to.include('botbell_deliveries_pending 0');
  });
});

describe('Past max_in_flight', () => {
  let world: BridgeWorld;
  let senders: RawClient[];

  beforeEach(async () => {
    senders = [];
    world = await createBridgeWorld(`
delivery: { timeout: 15s }
receiver: { listen: '127.0.0.1:0', answer_within: 20s, max_in_flight: 1 }
default_route: { notify: [{ slack: '#ops' }] }
`);
  });

  afterEach(async () => {
    for (const sender of senders) sender.destroy();
    await world.close();
  });

  it('are none of those whose bodies are still on their way', async () => {
    for (const bytes of [500, 500_000]) {
      const sender = await RawClient.open(world.app.receiver.port);
      senders.push(sender);
      sender.write(
        `POST /callbacks HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`,
        '{'.padEnd(bytes - 1),
      );
    }
    expect((await world.post(callback())).status).to.equal(200);
  });
});
