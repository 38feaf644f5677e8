/** The whole story in a sentence or two: the answer to "why did I (not) get this?". */
import { expect } from 'chai';
import type { CallbackStory } from '../../src/ledger/archive/archive.ts';
import { DISMISSED, NO_LONGER_ROUTED, SUPERSEDED } from '../../src/ledger/ledger.ts';
import { tellStory } from '../../src/story/story.ts';
import type { Language } from '../../src/time/display.ts';
import {
  CAME_AT,
  deliveryWith,
  NOT_FOUND,
  pendingWith,
  REFUSED,
  rowAt,
  storyWith,
  TELLS_OPS,
} from '../support/stories.ts';

/** A minute after it came. */
const CONTEXT = { timezone: 'Asia/Tokyo', now: CAME_AT + 60_000 } as const;

function summaryOf(story: CallbackStory, language: Language): string {
  return tellStory(story, { ...CONTEXT, language }).summary;
}

const UNTOLD = { lastError: undefined } as const;
const OTHER_STATUS = {
  ...TELLS_OPS,
  matched: false,
  reaches: [],
  verdict: 'not of this status',
  on: ['error'],
};
const CAUSE_JA = 'チャンネルが存在しません。名前を確認してください';

/** What became of it, the rows that say so, and the answer. */
const ANSWERS: readonly (readonly [of: string, story: CallbackStory, en: string, ja: string])[] = [
  [
    'told',
    storyWith({ deliveries: [deliveryWith(), deliveryWith({ id: 2, destination: 'email:a@example.com' })] }),
    'Told slack:#ops and email:a@example.com at 10:00.',
    'slack:#ops、email:a@example.com に届きました（10:00）。',
  ],
  [
    'printed by an outbox',
    storyWith({ deliveries: [deliveryWith({ receipt: { told: 'nobody' } })] }),
    'Printed only at 10:00: slack:#ops, an outbox that tells nobody.',
    'slack:#ops はoutboxのため、出力しただけで誰にも通知していません（10:00）。',
  ],
  [
    'told at several times',
    storyWith({
      deliveries: [deliveryWith(), deliveryWith({ id: 2, destination: 'x:1', updatedAt: CAME_AT + 90_000 })],
    }),
    'Told slack:#ops and x:1.',
    'slack:#ops、x:1 に届きました。',
  ],
  [
    'told to many',
    storyWith({
      deliveries: Array.from({ length: 1200 }, (_, id) => deliveryWith({ id, destination: `x:${id}` })),
    }),
    'Told x:0, x:1, x:2 and 1,197 more at 10:00.',
    'x:0、x:1、x:2 ほか1,197件 に届きました（10:00）。',
  ],
  [
    'accepted by who cannot say whether it was posted',
    storyWith({
      deliveries: [deliveryWith({ destination: 'teams:ops', receipt: { accepted: '202' } })],
    }),
    'The message for teams:ops was accepted at 10:00, not confirmed.',
    'teams:ops へのメッセージは受け付けられました（10:00）。投稿されたかは確認できません。',
  ],
  [
    'told to one, and failing at another',
    storyWith({ deliveries: [deliveryWith(), pendingWith({ id: 2, destination: 'slack:#x' })] }),
    'Told slack:#ops at 10:00. Not told yet: slack:#x (Slack answered channel_not_found: the channel does not exist; check its name); Botbell tries again at 10:02.',
    `slack:#ops に届きました（10:00）。slack:#x にはまだ届いていません（${CAUSE_JA}）。10:02 に再送します。`,
  ],
  [
    'waiting for its turn',
    storyWith({ deliveries: [pendingWith({ ...UNTOLD, dueInMs: -5 })] }),
    'Not told yet: slack:#ops; Botbell tries as soon as its turn comes.',
    'slack:#ops にはまだ届いていません。順番が来しだい送信します。',
  ],
  [
    'waiting for an earlier message of its job',
    storyWith({ deliveries: [pendingWith({ ...UNTOLD, behind: 3 })] }),
    'Not told yet: slack:#ops, which waits for an earlier message of the same job.',
    'slack:#ops にはまだ届いていません。同じジョブの前の通知が済むのを待っています。',
  ],
  [
    'still the service’s to post again',
    storyWith({ deliveries: [pendingWith({ ...UNTOLD, isTakenOver: false })] }),
    'Not told yet: slack:#ops; the job service is to post it again, else Botbell takes over at 10:02.',
    'slack:#ops にはまだ届いていません。ジョブサービスが再び送ってくるのを待っています。来なければ、10:02 にBotbellが引き継ぎます。',
  ],
  [
    'being sent',
    storyWith({ deliveries: [pendingWith({ ...UNTOLD, claim: 'elsewhere' })] }),
    'slack:#ops is being told at this moment.',
    'slack:#ops に送信しているところです。',
  ],
  [
    'held until another day',
    storyWith({
      deliveries: [deliveryWith({ state: 'held', reason: 'mute', heldUntil: CONTEXT.now + 86_400_000 })],
    }),
    'Held back for slack:#ops until 24 Nov, 10:01: the route is muted then (mute).',
    'slack:#ops への通知は、11月24日 10:01 まで保留です：この時間帯はミュート中です（mute）。',
  ],
  [
    'held by a rule',
    storyWith({ deliveries: [deliveryWith({ state: 'held', reason: 'when' })] }),
    'Not told to slack:#ops: the route’s condition does not hold (when).',
    'slack:#ops には通知しません：ルートの条件に当てはまりません（when）。',
  ],
  [
    'given up',
    storyWith({ deliveries: [deliveryWith({ state: 'dead', lastError: REFUSED })] }),
    'Not told: slack:#ops; Botbell gave up (The server refused it).',
    'slack:#ops には届いていません。送信をあきらめました（この宛先には配送できません。アドレスを確認してください）。',
  ],
  [
    'lost with its route',
    storyWith({
      deliveries: [deliveryWith({ state: 'dead', lastError: NOT_FOUND, reason: NO_LONGER_ROUTED })],
    }),
    'Not told: slack:#ops; the config no longer names anybody for it.',
    'slack:#ops には届いていません。現在の設定には、この通知の宛先がありません。',
  ],
  [
    'told elsewhere now',
    storyWith({ deliveries: [deliveryWith({ state: 'held', reason: NO_LONGER_ROUTED })] }),
    'Not told: slack:#ops, where the config no longer sends it.',
    'slack:#ops には届いていません。現在の設定では宛先ではありません。',
  ],
  [
    'dismissed',
    storyWith({ deliveries: [deliveryWith({ state: 'held', reason: DISMISSED })] }),
    'Not told: slack:#ops; marked as done by hand.',
    'slack:#ops には届いていません。対応済みとされています。',
  ],
  [
    'superseded before it was delivered',
    storyWith({ status: 2, deliveries: [deliveryWith({ state: 'held', reason: SUPERSEDED })] }),
    'Not told: slack:#ops, since the job’s result came first.',
    'slack:#ops には送っていません。ジョブの結果が先に届いたためです。',
  ],
  [
    'superseded when it came',
    storyWith({ status: 2, result: 'superseded' }),
    'The job’s result had come before it, so nobody was told that the job had started.',
    'ジョブの結果が先に届いていたため、開始の通知はどこにも送りませんでした。',
  ],
  [
    'of a BOT without a route',
    storyWith({ routing: [] }),
    'Nobody was told. No route names this BOT, and there is no default route.',
    '誰にも通知していません。このBOTを指定したルートがなく、既定のルートもありません。',
  ],
  [
    'of a status that its routes do not tell',
    storyWith({ status: 0, routing: [OTHER_STATUS, { ...OTHER_STATUS, on: ['executing'] }] }),
    'Nobody was told. The route for get_* does not apply: it tells only of errors, and this is a success. The route for get_* does not apply: it tells only of starts, and this is a success.',
    '誰にも通知していません。「get_*」のルートは使われません。通知するのはエラーだけで、これは成功です。「get_*」のルートは使われません。通知するのは実行中だけで、これは成功です。',
  ],
  [
    'of a status that the default route does not tell',
    storyWith({ status: 0, routing: [{ ...OTHER_STATUS, pattern: undefined }] }),
    'Nobody was told. No route names this BOT, and the default route does not apply: it tells only of errors, and this is a success.',
    '誰にも通知していません。このBOTを指定したルートがなく、既定のルートは使われません。通知するのはエラーだけで、これは成功です。',
  ],
  [
    'told to nobody on purpose',
    storyWith({ routing: [OTHER_STATUS, { ...TELLS_OPS, reaches: [], verdict: 'tells nobody' }] }),
    'Nobody was told. The route for get_* applies, and tells nobody, on purpose.',
    '誰にも通知していません。「get_*」のルートが使われますが、設定により誰にも通知しません。',
  ],
];

describe('the summary of a callback that', () => {
  for (const [of, story, en, ja] of ANSWERS) {
    it(`is ${of} says so, in both languages`, () => {
      expect([summaryOf(story, 'en'), summaryOf(story, 'ja')]).to.deep.equal([en, ja]);
    });
  }

  it('stands differently at many destinations stays short, and says how many there are more', () => {
    const deliveries = Array.from({ length: 50 }, (_, id) =>
      deliveryWith({
        id,
        destination: `x:${id}`,
        state: 'dead',
        lastError: { ...REFUSED, code: String(550 + id), message: 'x'.repeat(5000) },
      }),
    );
    const story = storyWith({ deliveries });
    expect(summaryOf(story, 'en')).to.match(/47 more destinations are below\.$/);
    expect(summaryOf(story, 'en').length).to.be.below(1500);
    expect(summaryOf(story, 'ja')).to.match(/ほかの宛先（47件）は下にあります。$/);
  });

  it('goes by the routing of last, where it was routed anew', () => {
    const story = storyWith({
      status: 0,
      routing: [{ ...OTHER_STATUS, pattern: undefined }],
      history: [rowAt(1000, 'routed', { by: 'config', explanations: [] })],
    });
    expect(summaryOf(story, 'en')).to.equal(
      'Nobody was told. No route names this BOT, and there is no default route.',
    );
  });
});
