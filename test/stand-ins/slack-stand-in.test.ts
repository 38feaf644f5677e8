/** What the local Slack refuses, by Slack's words for it. */
import { expect } from 'chai';
import type { PostedMessage } from '../../src/stand-ins/slack-stand-in.ts';
import { judgeCall } from '../support/slack-judge.ts';

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
  return { ...place, text: 'x', blocks: undefined, args: {} };
};
const MESSAGES = [posted('1.000001'), posted('1.000002', '1.000001')];

const judged = (call: object) =>
  judgeCall(WORKSPACE, { method: 'chat.postMessage', token: TOKEN, args: {}, ...call }, MESSAGES);

const post = (args: object) => ({ args: { channel: '#ops', ...args } });
const edit = (args: object) => ({ method: 'chat.update', args: { channel: 'C0000001', text: 'y', ...args } });

describe('the local Slack', () => {
  for (const [what, call, error] of [
    ['a method it does not know', { method: 'chat.explode' }, 'unknown_method'],
    ['another token', { token: 'xoxb-other' }, 'invalid_auth'],
    ['no token', { token: undefined }, 'not_authed'],
    ['what is not JSON', { args: undefined }, 'invalid_json'],
    ['a channel it does not know', post({ channel: '#nowhere', text: 'x' }), 'channel_not_found'],
    ['a channel the app is not in', post({ channel: 'C0000003', text: 'x' }), 'not_in_channel'],
    ['no text', post({}), 'no_text'],
    ['blank text', post({ text: '  ' }), 'no_text'],
    ['text that is no string', post({ text: 7 }), 'invalid_arguments'],
    ['half a character', post({ text: 'x\ud83d' }), 'invalid_arguments'],
    ['too long a text', post({ text: 'x'.repeat(40_001) }), 'msg_too_long'],
    ['blocks that are no list', post({ text: 'x', blocks: {} }), 'invalid_blocks_format'],
    ['an empty list of blocks', post({ text: 'x', blocks: [] }), 'invalid_blocks'],
    ['a reply to no message', post({ text: 'x', thread_ts: '9.000001' }), 'thread_not_found'],
    ['a reply to a reply', post({ text: 'x', thread_ts: '1.000002' }), 'thread_not_found'],
    [
      'a message shown to all that is no reply',
      post({ text: 'x', reply_broadcast: true }),
      'invalid_arguments',
    ],
    ['a change of no message', edit({ ts: '9.000001' }), 'message_not_found'],
    ['a change by the name of a channel', edit({ ts: '1.000001', channel: '#ops' }), 'channel_not_found'],
    ['a change to 4,002 bytes', edit({ ts: '1.000001', text: 'あ'.repeat(1334) }), 'msg_too_long'],
  ] as const)
    it(`refuses ${what} with ${error}`, () => {
      expect(judged(call)).to.include({ ok: false, error });
    });

  it('edits a message that it has, and knows its token', () => {
    expect(judged(edit({ ts: '1.000001' }))).to.include({ ok: true, edited: MESSAGES[0] });
    expect(judged({ method: 'auth.test' })).to.include({ ok: true });
  });
});
