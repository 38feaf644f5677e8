/** What the local Slack refuses, by Slack's words for it. */
import { expect } from 'chai';
import { judgeCall, type PostedMessage } from '../../src/stand-ins/slack-stand-in.ts';

const TOKEN = 'xoxb-demo';
const WORKSPACE = {
  tokens: [TOKEN],
  channels: [
    { id: 'C0000001', name: '#ops' },
    { id: 'C0000003', name: '#closed', isMember: false },
  ],
};

const posted = (ts: string, threadTs?: string): PostedMessage => {
  const place = { channel: '#ops', channelId: 'C0000001', ts, threadTs };
  return { ...place, text: 'x', blocks: undefined, at: 0, args: {} };
};
const MESSAGES = [posted('1.000001'), posted('1.000002', '1.000001')];

const judged = (args: object, method = 'chat.postMessage', token: string | undefined = TOKEN) =>
  judgeCall(WORKSPACE, { method, token, args: { channel: '#ops', ...args } }, MESSAGES);

describe('the local Slack', () => {
  for (const [what, args, error] of [
    ['a channel it does not know', { channel: '#nowhere', text: 'x' }, 'channel_not_found'],
    ['a channel the app is not in', { channel: 'C0000003', text: 'x' }, 'not_in_channel'],
    ['no text', {}, 'no_text'],
    ['blank text', { text: '  ' }, 'no_text'],
    ['text that is no string', { text: 7 }, 'invalid_arguments'],
    ['half a character', { text: 'x\ud83d' }, 'invalid_arguments'],
    ['too long a text', { text: 'x'.repeat(40_001) }, 'msg_too_long'],
    ['blocks that are no list', { text: 'x', blocks: {} }, 'invalid_blocks_format'],
    ['an empty list of blocks', { text: 'x', blocks: [] }, 'invalid_blocks'],
    ['a reply to no message', { text: 'x', thread_ts: '9.000001' }, 'thread_not_found'],
    ['a reply to a reply', { text: 'x', thread_ts: '1.000002' }, 'thread_not_found'],
    ['a message shown to all that is no reply', { text: 'x', reply_broadcast: true }, 'invalid_arguments'],
  ] as const) {
    it(`refuses ${what} with ${error}`, () => {
      expect(judged(args)).to.include({ ok: false, error });
    });
  }

  it('edits a message that it has, by the ID of its channel, with a text of 4,000 bytes at most', () => {
    const edit = (args: object) => judged({ channel: 'C0000001', text: 'y', ...args }, 'chat.update');
    expect(edit({ ts: '1.000001' })).to.include({ ok: true, edited: MESSAGES[0] });
    expect(edit({ ts: '9.000001' })).to.include({ error: 'message_not_found' });
    expect(edit({ ts: '1.000001', channel: '#ops' })).to.include({ error: 'channel_not_found' });
    expect(edit({ ts: '1.000001', text: 'あ'.repeat(1334) })).to.include({ error: 'msg_too_long' });
  });

  it('knows methods and tokens, and takes JSON alone', () => {
    expect(judged({}, 'chat.explode')).to.include({ error: 'unknown_method' });
    const call = { method: 'auth.test', token: TOKEN, args: {} };
    expect(judgeCall(WORKSPACE, call)).to.include({ ok: true });
    expect(judgeCall(WORKSPACE, { ...call, token: 'xoxb-other' })).to.include({ error: 'invalid_auth' });
    expect(judgeCall(WORKSPACE, { ...call, token: undefined })).to.include({ error: 'not_authed' });
    expect(judgeCall(WORKSPACE, { ...call, args: undefined })).to.include({ error: 'invalid_json' });
  });
});
