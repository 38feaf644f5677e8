import { expect } from 'chai';
import { type SlackStandIn, startSlackStandIn } from '../support/faulty-slack.ts';
import { moment } from '../support/moment.ts';

const TOKEN = 'xoxb-demo';

describe('the local Slack', () => {
  let slack: SlackStandIn;
  beforeEach(async () => {
    slack = await startSlackStandIn({
      tokens: [TOKEN],
      channels: [
        { id: 'C0000001', name: '#ops' },
        { id: 'C0000002', name: '#old', isArchived: true },
        { id: 'C0000003', name: '#closed', isMember: false },
        { id: 'U0000001' },
      ],
      faultOf: ({ args }) =>
        args?.['channel'] === '#broken' ? { kind: 'error', error: 'fatal_error' } : undefined,
    });
  });
  afterEach(() => slack.close());

  const request = async (method: string, body: string, headers: Record<string, string>): Promise<unknown> => {
    const response = await fetch(slack.apiUrl + method, { method: 'POST', body, headers });
    return response.json();
  };
  const callJson = (args: object, token = TOKEN, method = 'chat.postMessage'): Promise<unknown> =>
    request(method, JSON.stringify(args), {
      'content-type': 'application/json; charset=utf-8',
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    });
  it('knows whose token it is', async () => {
    expect(await callJson({}, TOKEN, 'auth.test')).to.include({ ok: true });
    expect(await callJson({}, 'xoxb-other', 'auth.test')).to.include({ ok: false, error: 'invalid_auth' });
    expect(await callJson({}, '', 'auth.test')).to.include({ ok: false, error: 'not_authed' });
    expect(await callJson({}, TOKEN, 'chat.explode')).to.include({ ok: false, error: 'unknown_method' });
  });

  it('keeps what it took', async () => {
    const blocks = [{ type: 'divider' }];
    const first = (await callJson({ channel: '#ops', text: 'one', blocks })) as {
      channel: string;
      ts: string;
    };
    const second = (await callJson({ channel: 'U0000001', text: 'two', blocks })) as { ts: string };
    expect(first).to.include({ ok: true, channel: 'C0000001' });
    expect(first.ts)
      .to.match(/^\d{10}\.\d{6}$/)
      .and.not.equal(second.ts);
    expect(slack.messages.map(({ channel, text }) => [channel, text])).to.deep.equal([
      ['#ops', 'one'],
      ['U0000001', 'two'],
    ]);
    for (const message of slack.messages) expect(message.blocks).to.deep.equal(blocks);
    expect(slack.calls).to.deep.equal(['chat.postMessage', 'chat.postMessage']);
  });

  for (const [what, args, error] of [
    ['a channel it does not know', { channel: '#nowhere', text: 'x' }, 'channel_not_found'],
    ['no channel', { text: 'x' }, 'channel_not_found'],
    ['an archived channel', { channel: '#old', text: 'x' }, 'is_archived'],
    ['a channel the app is not in', { channel: 'C0000003', text: 'x' }, 'not_in_channel'],
    ['no text', { channel: '#ops' }, 'no_text'],
    ['blank text', { channel: '#ops', text: '  ' }, 'no_text'],
    ['text that is no string', { channel: '#ops', text: 7 }, 'invalid_arguments'],
    ['half a character', { channel: '#ops', text: 'x\ud83d' }, 'invalid_arguments'],
    ['too long a text', { channel: '#ops', text: 'x'.repeat(40_001) }, 'msg_too_long'],
    ['blocks that are no list', { channel: '#ops', text: 'x', blocks: {} }, 'invalid_blocks_format'],
    ['an empty list of blocks', { channel: '#ops', text: 'x', blocks: [] }, 'invalid_blocks'],
  ] as const) {
    it(`refuses ${what} with ${error}`, async () => {
      expect(await callJson(args)).to.include({ ok: false, error });
      expect(slack.messages).to.deep.equal([]);
    });
  }

  it('refuses a body that is not JSON', async () => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
    expect(await request('chat.postMessage', '{"channel":', headers)).to.include({ error: 'invalid_json' });
  });

  it('says where in the blocks it found the fault, as Slack does', async () => {
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: 'x'.repeat(3001) } }];
    expect(await callJson({ channel: '#ops', text: 'x', blocks })).to.deep.equal({
      ok: false,
      error: 'invalid_blocks',
      errors: ['must be less than 3001 characters [json-pointer:/blocks/0/text/text]'],
      response_metadata: {
        messages: ['[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]'],
      },
    });
  });

  it('edits and threads the messages that it has, and refuses what Slack would', async () => {
    const post = (args: object) => callJson({ channel: '#ops', text: 'x', ...args });
    const edit = (args: object) =>
      callJson({ channel: 'C0000001', text: 'y', ...args }, TOKEN, 'chat.update');
    const { ts } = (await post({})) as { ts: string };
    const { ts: reply } = (await post({ thread_ts: ts, reply_broadcast: true })) as { ts: string };
    expect(await edit({ ts })).to.include({ ok: true, ts });
    expect(slack.messages.map(({ text, threadTs }) => [text, threadTs])).to.deep.equal([
      ['y', undefined],
      ['x', ts],
    ]);
    for (const [call, error] of [
      [post({ thread_ts: '1.000001' }), 'thread_not_found'],
      [post({ thread_ts: reply }), 'thread_not_found'],
      [post({ reply_broadcast: true }), 'invalid_arguments'],
      [edit({ ts: '1.000001' }), 'message_not_found'],
      [edit({ ts, channel: '#ops' }), 'channel_not_found'],
      [edit({ ts, text: 'あ'.repeat(1334) }), 'msg_too_long'],
    ] as const)
      expect(await call).to.deep.equal({ ok: false, error });
  });

  it('fails as it is told to, first by the queue, then by the function', async () => {
    slack.faults.push({ kind: 'error', error: 'internal_error' });
    expect(await callJson({ channel: '#ops', text: 'x' })).to.include({ error: 'internal_error' });
    expect(await callJson({ channel: '#broken', text: 'x' })).to.include({ error: 'fatal_error' });
    expect(await callJson({ channel: '#ops', text: 'x' })).to.include({ ok: true });
  });

  it('keeps a message at once whose answer comes late', async () => {
    const [accepted, release] = [moment(), moment()];
    const until = () => {
      accepted.happen();
      return release.promise;
    };
    slack.faults.push({ kind: 'answer_late', until });
    const call = callJson({ channel: '#ops', text: 'x' });
    await accepted.promise;
    expect(slack.messages).to.have.length(1);
    release.happen();
    expect(await call).to.include({ ok: true });
  });

  it('keeps a message whose answer it then loses', async () => {
    slack.faults.push({ kind: 'reset_after_accepting' });
    const outcome: unknown = await callJson({ channel: '#ops', text: 'x' }).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(Error);
    expect(slack.messages).to.have.length(1);
  });
});
