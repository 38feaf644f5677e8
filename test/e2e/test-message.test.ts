/** Test messages of a running Botbell, asked for over its API. */
import { expect } from 'chai';
import { request } from 'undici';
import type { SlackFault } from '../../src/stand-ins/slack-faults.ts';
import { type BridgeWorld, callback, createBridgeWorld, SLACK_TOKEN } from '../support/bridge-world.ts';

interface TestAnswer {
  readonly status: number;
  readonly body: {
    readonly delivered?: boolean;
    readonly words?: string;
    readonly error_class?: string | null;
    readonly error_code?: string | null;
  };
}

describe('A test message', () => {
  let world: BridgeWorld;
  let faults: ReadonlyMap<string, SlackFault>;

  const test = async (destination: string): Promise<TestAnswer> => {
    const { statusCode, body } = await request(`http://127.0.0.1:${world.app.admin?.port}/api/test`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ destination }),
    });
    return { status: statusCode, body: (await body.json()) as TestAnswer['body'] };
  };

  beforeEach(async () => {
    faults = new Map();
    world = await createBridgeWorld(
      `
receiver: { listen: '127.0.0.1:0' }
display: { language: ja }
groups: { operators: [{ email: operators@example.com }] }
delivery: { alerts: [operators] }
default_route: { notify: [{ slack: ['#ops', '#old'] }] }`,
      { faultOf: ({ args }) => faults.get(String(args?.['channel'])) },
    );
  });

  afterEach(() => world.close());

  it('is delivered on Slack and by mail, in the display’s language', async () => {
    for (const destination of ['slack:#ops', 'email:operators@example.com']) {
      const { status, body } = await test(destination);
      expect([status, body.delivered]).to.deep.equal([200, true]);
      expect(body.words).to.match(/^届きました（/);
    }
    expect(world.slack.messages[0]?.text).to.match(/テストメッセージ/);
    expect(world.mail.mails[0]?.parsed.subject).to.match(/^\[テスト\]/);
  });

  it('says what is wrong, in words and without any secret', async () => {
    expect((await test('slack:#old')).body).to.deep.include({
      delivered: false,
      error_class: 'config',
      error_code: 'is_archived',
    });
    faults = new Map([['#ops', { kind: 'error', error: 'not_in_channel' }]]);
    const { body } = await test('slack:#ops');
    expect(body.words).to.match(/メンバーではありません/);
    expect(JSON.stringify(body)).not.to.include(SLACK_TOKEN);
  });

  it('is none where the config names no such destination', async () => {
    expect((await test('slack:#nowhere')).status).to.equal(404);
    expect(world.slack.calls).to.deep.equal([]);
  });

  it('waits for no pause, and neither breaks it nor counts as a delivery', async () => {
    faults = new Map([['#ops', { kind: 'rate_limited', retryAfter: '20' }]]);
    expect((await test('slack:#ops')).body).to.deep.include({
      delivered: false,
      error_class: 'rate_limited',
    });
    faults = new Map();
    const calls = world.slack.calls.length;
    const { body } = await test('slack:#ops');
    expect([body.delivered, body.error_class]).to.deep.equal([false, 'rate_limited']);
    expect(world.slack.calls).to.have.length(calls);
    expect(await world.metrics()).not.to.match(/botbell_deliveries_total\{channel="slack",.*\} [1-9]/);
    // It has the pace of all that goes there: what comes now is taken over instead of disturbing the remote.
    expect((await world.post(callback())).body.deliveries).to.deep.include({
      destination: 'slack:#ops',
      state: 'pending',
    });
  });
});
