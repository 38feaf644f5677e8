/** What is told of a BOT beside its callbacks: that it recovered, is late, overdue or missed, what was held back, what ran. */
import { expect } from 'chai';
import { slackAsText } from '../../src/channels/slack/preview.ts';
import type { SlackMessage } from '../../src/channels/slack/message.ts';
import { composeWebhook } from '../../src/channels/webhook/compose.ts';
import {
  mostTroubled,
  type Notice,
  noticeOf,
  noticeOfAlert,
  type NoticeVariant,
  type OwnSubject,
} from '../../src/notice/notice.ts';
import { Renderer } from '../../src/render/renderer.ts';
import { NO_FOLDER } from '../../src/render/template-folder.ts';
import { BARE, BUILT_IN, targetOf } from './render-fixture.ts';
import { expectAcceptable } from './slack-rules.ts';

const STARTED_AT = Date.parse(BARE.start_time);
const HOUR_MS = 3_600_000;

type Status = 0 | 1 | 2;

const callbackTold = (status: Status, occasion: NoticeVariant | undefined, more: object = {}): Notice => ({
  ...noticeOf({ callback: { ...BARE, status }, startedAt: STARTED_AT }, 1, occasion),
  ...more,
});
const botbellTells = (subject: OwnSubject): Notice =>
  noticeOfAlert({ id: 'x', raisedAt: STARTED_AT, suppressed: 0, subject });

const RECOVERY: NoticeVariant = {
  template: 'recovered',
  failingSince: STARTED_AT - 26 * HOUR_MS - 5000,
  failures: 3,
};
const RECOVERED = callbackTold(0, RECOVERY);
const late = (status: Status) =>
  callbackTold(status, { template: 'late', dueAt: STARTED_AT - HOUR_MS, lateByMs: 90_000 });
const TOO_LONG: NoticeVariant = { template: 'overdue', runningForMs: HOUR_MS / 2 };
const OVERDUE = callbackTold(2, TOO_LONG);
const ZERO_START = { startedAt: Date.parse('0001-01-01T00:00:00Z') };
const MISSED = botbellTells({
  template: 'missed',
  botId: 'get_items',
  botName: '',
  dueAt: STARTED_AT,
  lastResultAt: undefined,
});
const COUNTS = { succeeded: 0, errors: 2, executing: 0, missed: 0, overdue: 0 };
const BOT = { bot_id: 'get_items', bot_name: 'Get items', ...COUNTS, jobs: ['j-1', 'j-2'] };
const summaryOf = (bot: object) =>
  botbellTells({
    template: 'summary',
    destination: 'slack:#ops',
    reason: 'mute',
    since: STARTED_AT,
    lastAt: STARTED_AT + HOUR_MS,
    count: 2,
    ...mostTroubled([{ ...BOT, ...bot }]),
  });
const digestOf = (...bots: object[]) =>
  botbellTells({
    template: 'digest',
    group: 'operators',
    since: STARTED_AT,
    ...mostTroubled(bots.map((bot) => ({ ...BOT, is_muted: false, ...bot }))),
  });

const webhookFormat = { name: 'webhook', compose: composeWebhook };

const rendererIn = (language: 'en' | 'ja') =>
  new Renderer({
    display: { language, timezone: 'Asia/Tokyo', links: {} },
    builtIn: BUILT_IN,
    own: NO_FOLDER,
  });

const RENDERERS = { en: rendererIn('en'), ja: rendererIn('ja') };

function drawn(notice: Notice, language: 'en' | 'ja' = 'en'): SlackMessage {
  const target = { ...targetOf('slack'), options: { mention_on_error: ['@here'] } };
  const message = RENDERERS[language].render(notice, target, ({ message: failure }) => {
    throw new Error(failure);
  }).message as SlackMessage;
  expectAcceptable(message);
  return message;
}

const TABLE: readonly (readonly [what: string, notice: Notice, en: RegExp, ja: RegExp])[] = [
  [
    'a recovery, how long the BOT was failing and how often',
    RECOVERED,
    /^✅ Get items works again, after failing for 1 d 2 h\n[^]*3 errors/,
    /^✅ Get items が復旧しました（エラーが 1日2時間 [^]*3回/,
  ],
  [
    'a late success, when it was due',
    late(0),
    /^✅ Get items succeeded, 1 min 30 s late\n[^]*due on 20 Nov 2026, 08:00:00/,
    /^✅ Get items が 1分30秒 遅れて成功しました\n[^]*予定は 2026年11月20日 8:00:00/,
  ],
  ['a late error, that it is one', late(1), /^<!here> ❌ Get items failed, 1 min 30 s late/, /❌ .*エラー/],
  ['an overdue job, for how long it has been running', OVERDUE, /⚠️ .* running for 30 min/, /30分 実行中/],
  [
    'a recovery of which no start is known, no more than that',
    callbackTold(0, RECOVERY, ZERO_START),
    /^✅ Get items works again\n[^]*It was failing: 3 errors(?![^]*\(GMT)/,
    /^✅ Get items が復旧しました\n[^]*\n3回エラー/,
  ],
  [
    'an overdue job of which no start is known, that it takes too long',
    callbackTold(2, TOO_LONG, ZERO_START),
    /⚠️ .* has been running too long, and no result has come(?![^]*Started)/,
    /長時間 実行中/,
  ],
  [
    'a missed result, when it was due and that none has ever come',
    MISSED,
    /⚠️ No result of get_items has come: one was due on 20 Nov 2026, 09:00:00[^]*None has ever come/,
    /⚠️ get_items の結果が届いていません[^]*まだありません/,
  ],
  [
    'what was held back, why, and of which BOTs and jobs',
    summaryOf({}),
    /^<!here> ❌ 2 failed of 2 messages held back: Get items\n[^]*while muted: 20 Nov 2026, 09:00:00 \(GMT\+9\) – 20 Nov 2026, 10:00:00[^]*Get items · 2 failed · j-1, j-2/,
    /❌ エラー 2件、保留していた通知 2件：Get items\n[^]*9:00:00 \(JST\) 〜 [^]*10:00:00[^]*ミュート中[^]*Get items · エラー 2件 · j-1, j-2/,
  ],
  [
    'an error in a summary, what it says, when it came, and where its job is',
    summaryOf({ lastError: { text: 'no login', at: STARTED_AT - HOUR_MS, jobId: 'j-2' } }),
    /Get items +no login \(08:00\)/,
    /Get items +no login \(8:00\)/,
  ],
  [
    'an error in a digest, on which day it came if that was another one',
    digestOf({ lastError: { text: '', at: STARTED_AT - 24 * HOUR_MS, jobId: 'j-2' } }),
    /Get items +– \(19 Nov, 09:00\)/,
    /Get items +– \(11月19日 9:00\)/,
  ],
  [
    'a message that is told as itself, since when it was held',
    callbackTold(1, undefined, { heldSince: STARTED_AT - HOUR_MS }),
    /Held back since 20 Nov 2026, 08:00:00/,
    /2026年11月20日 8:00:00 \(JST\) から保留していました/,
  ],
  [
    'a missed result that is told as itself, since when it was held',
    { ...MISSED, heldSince: STARTED_AT },
    /Held back since 20 Nov 2026, 09:00:00/,
    /から保留していました/,
  ],
  [
    'what else was held back: missed, overdue and started runs',
    summaryOf({ errors: 0, missed: 1, overdue: 2, executing: 3, jobs: [] }),
    /⚠️ [^]*Get items · 1 missed · 2 overdue · 3 started$/m,
    /Get items · 未着 1件 · 長時間実行 2件 · 開始 3件$/m,
  ],
  [
    'a digest, what failed, was missed and is muted',
    digestOf({ missed: 1, succeeded: 4, is_muted: true }),
    /^❌ 2 failed, 1 missed since [^]*Get items · 2 failed · 1 missed · 4 succeeded · muted/,
    /エラー 2件、未着 1件[^]*成功 4件 · ミュート中/,
  ],
  [
    'a digest, who has only begun',
    digestOf({ errors: 0, succeeded: 0, missed: 0 }),
    /Get items · no result yet/,
    /Get items · 結果はまだありません/,
  ],
  [
    'a digest of more BOTs than it names, what failed of all of them',
    digestOf(...Array.from({ length: 60 }, () => ({}))),
    /^❌ 120 failed, 0 missed [^]*and 10 more BOTs/,
    /エラー 120件、未着 0件[^]*ほか 10 件のBOT/,
  ],
  ['a digest of nothing, that all is well', digestOf(), /^✅ All is well since/, /^✅ .*問題はありません/],
  [
    'an error, how many before it were held back',
    callbackTold(1, undefined, { heldBack: 12 }),
    /Held back 12 errors/,
    /省略 前回の通知のあと、ほかに12件のエラー/,
  ],
];

describe('Botbell’s own words of a BOT', () => {
  for (const [what, notice, en, ja] of TABLE)
    it(`say of ${what}`, () => {
      for (const [language, words] of [
        ['en', en],
        ['ja', ja],
      ] as const) {
        const message = drawn(notice, language);
        expect(`${message.text}\n${slackAsText(message)}`).to.match(words);
      }
    });

  it('mention whom the destination calls for what has gone wrong, and for nothing else', () => {
    const isCalled = (notice: Notice) => drawn(notice).text.includes('<!here>');
    for (const notice of [late(1), OVERDUE, MISSED, summaryOf({}), summaryOf({ errors: 0, missed: 1 })])
      expect(isCalled(notice), notice.template).to.equal(true);
    for (const notice of [RECOVERED, late(0), summaryOf({ errors: 0, succeeded: 2 }), digestOf({})])
      expect(isCalled(notice), notice.template).to.equal(false);
  });

  it('are told to programs as their callback, unless Botbell itself speaks', () => {
    const typeOf = (notice: Notice) =>
      RENDERERS.en.render(notice, targetOf(webhookFormat), () => undefined).message;
    expect([RECOVERED, late(1), OVERDUE, MISSED].map(typeOf)).to.have.nested.property(
      '[0].type',
      'bot.run.succeeded',
    );
    expect(typeOf(late(1))).to.have.property('type', 'bot.run.error');
    expect(typeOf(OVERDUE)).to.have.property('type', 'botbell.overdue');
    expect(typeOf(MISSED)).to.have.property('type', 'botbell.missed');
  });
});
