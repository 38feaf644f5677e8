/** The story of a callback: each thing that happens is told, in both languages, and the whole of it in a sentence or two. */
import { expect } from 'chai';
import type { CallbackStory } from '../../src/ledger/archive/archive.ts';
import { DISMISSED, NO_LONGER_ROUTED, SUPERSEDED } from '../../src/ledger/ledger.ts';
import type { StoryEventName } from '../../src/story/sayings.ts';
import { type Story, tellStory } from '../../src/story/story.ts';
import type { Language } from '../../src/time/display.ts';
import {
  answerAt,
  attemptAt,
  CAME_AT,
  deliveryWith,
  failedAt,
  NOT_FOUND,
  pendingWith,
  REFUSED,
  rowAt,
  storyWith,
  TELLS_OPS,
} from '../support/stories.ts';

const DAY_MS = 86_400_000;

/** A minute after it came. */
const CONTEXT = { timezone: 'Asia/Tokyo', now: CAME_AT + 60_000 } as const;

function told(story: CallbackStory, language: Language = 'en'): Story {
  return tellStory(story, { ...CONTEXT, language });
}

function eventsOf(story: CallbackStory, language: Language) {
  return told(story, language).events.map(({ what, text, small }) =>
    small === undefined ? `${what}: ${text}` : `${what}: ${text} [${small}]`,
  );
}

const CAUSE_JA = 'チャンネルが存在しません。名前を確認してください';
const CAUSE_EN = 'Slack answered channel_not_found: the channel does not exist; check its name';
const ACTOR = { via: 'page', user: 'aya', from: '192.0.2.7' } as const;

/** A few events of a story, as each language has them. */
interface Telling {
  readonly of: string;
  readonly story: CallbackStory;
  readonly en: readonly string[];
  readonly ja: readonly string[];
}

const TELLINGS: readonly Telling[] = [
  {
    of: 'a message that was accepted by who never says whether it arrived',
    story: storyWith({
      deliveries: [deliveryWith({ receipt: { accepted: '202' } })],
      history: [attemptAt(10)],
    }),
    en: [
      'received: The job service reported that 商品取得 ended in an error.',
      'route matched: The route for get_* applies: it tells slack:#ops. [routes[0]]',
      'route did not match: No other route names this BOT.',
      'delivered: The message for slack:#ops was accepted, not confirmed, by the 1st attempt, in 0.2 s. [accepted 202]',
    ],
    ja: [
      'received: 「商品取得」がエラーで終わったという通知を、ジョブサービスから受け取りました。',
      'route matched: 「get_*」のルートが使われ、slack:#ops に通知します。 [routes[0]]',
      'route did not match: ほかに、このBOTを指定したルートはありません。',
      'delivered: slack:#ops へのメッセージは受け付けられました。投稿されたかは確認できません（1回目の送信、0.2秒）。 [accepted 202]',
    ],
  },
  {
    of: 'what was received, by which route somebody was told, and what was answered',
    story: storyWith({
      deliveries: [deliveryWith({ receipt: { channel: 'C1', ts: '1.2' } })],
      history: [attemptAt(10), answerAt(0, 200, 'delivered')],
    }),
    en: [
      'received: The job service reported that 商品取得 ended in an error.',
      'route matched: The route for get_* applies: it tells slack:#ops. [routes[0]]',
      'route did not match: No other route names this BOT.',
      'delivered: slack:#ops was told, by the 1st attempt, in 0.2 s. [channel C1, ts 1.2]',
      'answered: The job service was answered after 0.4 s: everybody has been told. [HTTP 200]',
    ],
    ja: [
      'received: 「商品取得」がエラーで終わったという通知を、ジョブサービスから受け取りました。',
      'route matched: 「get_*」のルートが使われ、slack:#ops に通知します。 [routes[0]]',
      'route did not match: ほかに、このBOTを指定したルートはありません。',
      'delivered: slack:#ops に届きました（1回目の送信、0.2秒）。 [channel C1, ts 1.2]',
      'answered: ジョブサービスに0.4秒で応答しました（全員に届きました）。 [HTTP 200]',
    ],
  },
  {
    of: 'a failed attempt, its answer, and the next post',
    story: storyWith({
      status: 0,
      timesReceived: 2,
      lastReceivedAt: CAME_AT + 30_000,
      deliveries: [deliveryWith({ attempts: 2 })],
      history: [
        failedAt(10),
        answerAt(0, 502, 'failed'),
        rowAt(30_000, 'received', { times: 2 }),
        attemptAt(30_010),
        answerAt(30_000, 200, 'delivered'),
      ],
    }),
    en: [
      'received: The job service reported that 商品取得 succeeded.',
      `attempt: The 1st attempt to tell slack:#ops failed after 0.2 s: ${CAUSE_EN}. [config, channel_not_found]`,
      'answered: The job service was answered after 0.4 s: somebody could not be told, so it is to be posted again. [HTTP 502]',
      'received: It came again, for the 2nd time.',
      'delivered: slack:#ops was told, by the 2nd attempt, in 0.2 s.',
    ],
    ja: [
      'received: 「商品取得」が成功したという通知を、ジョブサービスから受け取りました。',
      `attempt: slack:#ops への1回目の送信が、0.2秒で失敗しました。${CAUSE_JA}。 [config, channel_not_found: ${NOT_FOUND.message}]`,
      'answered: ジョブサービスに0.4秒で応答しました（届いていない相手がいるため、もう一度送るよう求めました）。 [HTTP 502]',
      'received: 同じ通知を再び受け取りました（2回目）。',
      'delivered: slack:#ops に届きました（2回目の送信、0.2秒）。',
    ],
  },
  {
    of: 'what Botbell took over with its answer',
    story: storyWith({
      deliveries: [pendingWith()],
      history: [failedAt(10), answerAt(0, 200, 'taken_over'), rowAt(401, 'taken_over')],
    }),
    en: ['taken over: From here on Botbell itself tries to tell slack:#ops, whatever the job service does.'],
    ja: ['taken over: これ以降 slack:#ops には、ジョブサービスによらずBotbellが自分で再送します。'],
  },
  {
    of: 'attempts that fail in the same way, and in another',
    story: storyWith({
      deliveries: [pendingWith({ attempts: 3 })],
      history: [
        failedAt(10),
        failedAt(500, { durationMs: 0.2 }),
        failedAt(900, { outcome: 'permanent', error: REFUSED }),
      ],
    }),
    en: [
      `attempt: The 1st attempt to tell slack:#ops failed after 0.2 s: ${CAUSE_EN}. [config, channel_not_found]`,
      `attempt: The 2nd attempt to tell slack:#ops failed after 1 ms: ${CAUSE_EN}. [config, channel_not_found]`,
      'attempt: The 3rd attempt to tell slack:#ops failed after 0.2 s: The server refused it. [permanent, 550]',
    ],
    ja: [
      `attempt: slack:#ops への1回目の送信が、0.2秒で失敗しました。${CAUSE_JA}。 [config, channel_not_found: ${NOT_FOUND.message}]`,
      `attempt: slack:#ops への2回目の送信が、1ミリ秒で失敗しました。${CAUSE_JA}。 [config, channel_not_found: ${NOT_FOUND.message}]`,
      'attempt: slack:#ops への3回目の送信が、0.2秒で失敗しました。この宛先には配送できません。アドレスを確認してください。 [permanent, 550: The server refused it.]',
    ],
  },
  {
    of: 'an attempt that took long',
    story: storyWith({
      deliveries: [pendingWith()],
      history: [failedAt(10, { durationMs: 75_000 })],
    }),
    en: [
      `attempt: The 2nd attempt to tell slack:#ops failed after 1 min 15 s: ${CAUSE_EN}. [config, channel_not_found]`,
    ],
    ja: [
      `attempt: slack:#ops への2回目の送信が、1分15秒で失敗しました。${CAUSE_JA}。 [config, channel_not_found: ${NOT_FOUND.message}]`,
    ],
  },
  {
    of: 'what was given up, and who was alerted of it',
    story: storyWith({
      deliveries: [deliveryWith({ state: 'dead', lastError: REFUSED })],
      history: [
        rowAt(400, 'dead', { error: REFUSED }),
        rowAt(500, 'alerted', { alertId: 8, who: ['slack:#ops', 'email:ops@example.com'] }),
      ],
    }),
    en: [
      'dead: Not told: slack:#ops; Botbell gave up (The server refused it). [permanent, 550]',
      'alerted: The operators are alerted: slack:#ops and email:ops@example.com.',
    ],
    ja: [
      'dead: slack:#ops には届いていません。送信をあきらめました（この宛先には配送できません。アドレスを確認してください）。 [permanent, 550: The server refused it.]',
      'alerted: 運用担当者にお知らせします（slack:#ops、email:ops@example.com）。',
    ],
  },
  {
    of: 'an address that is no longer routed, and the one that it was routed to instead',
    story: storyWith({
      deliveries: [
        deliveryWith({ state: 'held', reason: NO_LONGER_ROUTED, updatedAt: CAME_AT + 5000 }),
        deliveryWith({ id: 2, destination: 'slack:#log', isTakenOver: true, updatedAt: CAME_AT + 6000 }),
      ],
      history: [
        rowAt(5000, 'routed', { by: 'config', explanations: [{ ...TELLS_OPS, reaches: ['slack:#log'] }] }),
        rowAt(5000, 'held', undefined, { result: NO_LONGER_ROUTED }),
        attemptAt(5500, { deliveryId: 2 }),
      ],
    }),
    en: [
      'route matched: The route for get_* applies: it tells slack:#ops. [routes[0]]',
      'routed anew: The config had changed, so it was routed anew.',
      'route matched: The route for get_* applies: it tells slack:#log. [routes[0]]',
      'held: Not told: slack:#ops, where the config no longer sends it.',
      'delivered: slack:#log was told, by the 1st attempt, in 0.2 s.',
    ],
    ja: [
      'route matched: 「get_*」のルートが使われ、slack:#ops に通知します。 [routes[0]]',
      'routed anew: 設定が変わったため、宛先を決め直しました。',
      'route matched: 「get_*」のルートが使われ、slack:#log に通知します。 [routes[0]]',
      'held: slack:#ops には届いていません。現在の設定では宛先ではありません。',
      'delivered: slack:#log に届きました（1回目の送信、0.2秒）。',
    ],
  },
  {
    of: 'each routing anew, in its order, and who had it done; nothing of one that changed nothing',
    story: storyWith({
      deliveries: [
        deliveryWith({ state: 'held', reason: NO_LONGER_ROUTED, updatedAt: CAME_AT + 7001 }),
        deliveryWith({ id: 2, destination: 'slack:#log', updatedAt: CAME_AT + 5500 }),
        deliveryWith({ id: 3, destination: 'slack:#new', updatedAt: CAME_AT + 9500 }),
      ],
      history: [
        rowAt(5000, 'routed', { by: 'config', explanations: [{ ...TELLS_OPS, reaches: ['slack:#log'] }] }),
        rowAt(5000, 'held', undefined, { result: NO_LONGER_ROUTED }),
        rowAt(7000, 'redelivered', { actor: ACTOR }),
        rowAt(7001, 'routed', { by: 'config', explanations: [{ ...TELLS_OPS, reaches: ['slack:#log'] }] }),
        rowAt(7001, 'held', undefined, { result: NO_LONGER_ROUTED }),
        rowAt(9000, 'routed_anew', { actor: ACTOR, told: ['slack:#new'], untouched: [] }),
        rowAt(9000, 'routed', { by: 'hand', explanations: [{ ...TELLS_OPS, reaches: ['slack:#new'] }] }),
        rowAt(9800, 'routed', { by: 'config', explanations: [{ ...TELLS_OPS, reaches: ['slack:#last'] }] }),
      ],
    }),
    en: [
      'route matched: The route for get_* applies: it tells slack:#ops. [routes[0]]',
      'routed anew: The config had changed, so it was routed anew.',
      'route matched: The route for get_* applies: it tells slack:#log. [routes[0]]',
      'held: Not told: slack:#ops, where the config no longer sends it.',
      'redelivered: aya had the message for slack:#ops delivered again, on the page, from 192.0.2.7.',
      'held: Not told: slack:#ops, where the config no longer sends it.',
      'routed anew: aya had it routed anew, on the page, from 192.0.2.7.',
      'route matched: The route for get_* applies: it tells slack:#new. [routes[0]]',
      'routed anew: The config had changed, so it was routed anew.',
      'route matched: The route for get_* applies: it tells slack:#last. [routes[0]]',
    ],
    ja: [
      'routed anew: 設定が変わったため、宛先を決め直しました。',
      'route matched: 「get_*」のルートが使われ、slack:#log に通知します。 [routes[0]]',
      'redelivered: ayaさんが、管理画面から、slack:#ops へのメッセージの再送を指示しました（接続元 192.0.2.7）。',
      'routed anew: ayaさんが、管理画面から、宛先の決め直しを指示しました（接続元 192.0.2.7）。',
      'route matched: 「get_*」のルートが使われ、slack:#new に通知します。 [routes[0]]',
      'routed anew: 設定が変わったため、宛先を決め直しました。',
      'route matched: 「get_*」のルートが使われ、slack:#last に通知します。 [routes[0]]',
    ],
  },
  {
    of: 'what was lost while no route named it, and then named again',
    story: storyWith({
      deliveries: [deliveryWith({ isTakenOver: true, attempts: 2, updatedAt: CAME_AT + 9100 })],
      history: [
        failedAt(10, { outcome: 'permanent', error: REFUSED }),
        answerAt(0, 502, 'failed'),
        rowAt(5000, 'routed', { by: 'config', explanations: [] }),
        rowAt(5000, 'dead', undefined, { result: NO_LONGER_ROUTED }),
        rowAt(5001, 'alerted', { alertId: 8, who: ['slack:#ops'] }),
        rowAt(9000, 'routed', { by: 'config', explanations: [TELLS_OPS] }),
        rowAt(9000, 'revived'),
        attemptAt(9050),
      ],
    }),
    en: [
      'route matched: The route for get_* applies: it tells slack:#ops. [routes[0]]',
      'routed anew: The config had changed, so it was routed anew.',
      'route did not match: No route names this BOT, and there is no default route.',
      'dead: Not told: slack:#ops; the config no longer names anybody for it.',
      'alerted: The operators are alerted: slack:#ops.',
      'routed anew: The config had changed, so it was routed anew.',
      'route matched: The route for get_* applies: it tells slack:#ops. [routes[0]]',
      'routed anew: The config sends it to slack:#ops again, so Botbell tries to tell it after all.',
      'delivered: slack:#ops was told, by the 2nd attempt, in 0.2 s.',
    ],
    ja: [
      'route matched: 「get_*」のルートが使われ、slack:#ops に通知します。 [routes[0]]',
      'routed anew: 設定が変わったため、宛先を決め直しました。',
      'route did not match: このBOTを指定したルートがなく、既定のルートもありません。',
      'dead: slack:#ops には届いていません。現在の設定には、この通知の宛先がありません。',
      'alerted: 運用担当者にお知らせします（slack:#ops）。',
      'routed anew: 設定が変わったため、宛先を決め直しました。',
      'route matched: 「get_*」のルートが使われ、slack:#ops に通知します。 [routes[0]]',
      'routed anew: slack:#ops が設定で再び宛先になったため、Botbellが送信します。',
      'delivered: slack:#ops に届きました（2回目の送信、0.2秒）。',
    ],
  },
  {
    of: 'a start that came after its job’s result',
    story: storyWith({
      status: 2,
      result: 'superseded',
      history: [answerAt(0, 200, 'superseded')],
    }),
    en: [
      'received: The job service reported that 商品取得 has started.',
      'superseded: The job’s result had come before it, so nobody was told that the job had started.',
    ],
    ja: [
      'received: 「商品取得」の実行が始まったという通知を、ジョブサービスから受け取りました。',
      'superseded: ジョブの結果が先に届いていたため、開始の通知はどこにも送りませんでした。',
    ],
  },
  {
    of: 'a start whose job’s result came while it was undelivered',
    story: storyWith({
      status: 2,
      deliveries: [deliveryWith({ state: 'held', reason: SUPERSEDED })],
      history: [rowAt(300, 'held', undefined, { result: SUPERSEDED })],
    }),
    en: ['superseded: Not told: slack:#ops, since the job’s result came first.'],
    ja: ['superseded: slack:#ops には送っていません。ジョブの結果が先に届いたためです。'],
  },
  {
    of: 'what a rule holds back until a time',
    story: storyWith({
      deliveries: [deliveryWith({ state: 'held', reason: 'mute', heldUntil: CONTEXT.now + DAY_MS })],
      history: [rowAt(300, 'held', { endsAt: CONTEXT.now + DAY_MS }, { result: 'mute' })],
    }),
    en: ['held: Held back for slack:#ops until 24 Nov, 10:01: the route is muted then (mute).'],
    ja: ['held: slack:#ops への通知は、11月24日 10:01 まで保留です：この時間帯はミュート中です（mute）。'],
  },
  {
    of: 'a route that tells what an earlier one does not tell now',
    story: storyWith({
      routing: [
        TELLS_OPS,
        { ...TELLS_OPS, route: 'routes[1]', pattern: '*', reaches: [], verdict: 'told already' },
      ],
      deliveries: [deliveryWith({ telling: { wantedBy: ['routes[1]'] } })],
    }),
    en: [
      'route matched: The route for get_* applies: it tells slack:#ops. [routes[0]]',
      'route matched: The route for * applies, too; whom it names, an earlier route names already, and each is told once. [routes[1]]',
      'route did not match: No other route names this BOT.',
      'route matched: The route for * tells slack:#ops: no earlier one tells it now. [routes[1]]',
    ],
    ja: [
      'route matched: 「get_*」のルートが使われ、slack:#ops に通知します。 [routes[0]]',
      'route matched: 「*」のルートも使われますが、その相手は前のルートにもあり、通知は1件です。 [routes[1]]',
      'route did not match: ほかに、このBOTを指定したルートはありません。',
      'route matched: slack:#ops には、「*」のルートで通知します。それより前のルートは、今は通知しません。 [routes[1]]',
    ],
  },
  {
    of: 'routes that tell nobody',
    story: storyWith({
      status: 0,
      routing: [
        { ...TELLS_OPS, reaches: [], verdict: 'tells nobody' },
        { ...TELLS_OPS, route: 'routes[1]', reaches: [], verdict: 'told already' },
        {
          ...TELLS_OPS,
          route: 'routes[2]',
          matched: false,
          reaches: [],
          verdict: 'not of this status',
          on: ['error', 'executing'],
        },
      ],
    }),
    en: [
      'route matched: The route for get_* applies, and tells nobody, on purpose. [routes[0]]',
      'route matched: The route for get_* applies, too; whom it names, an earlier route names already, and each is told once. [routes[1]]',
      'route did not match: The route for get_* does not apply: it tells only of errors and starts, and this is a success. [routes[2]]',
    ],
    ja: [
      'route matched: 「get_*」のルートが使われますが、設定により誰にも通知しません。 [routes[0]]',
      'route matched: 「get_*」のルートも使われますが、その相手は前のルートにもあり、通知は1件です。 [routes[1]]',
      'route did not match: 「get_*」のルートは使われません。通知するのはエラーと実行中だけで、これは成功です。 [routes[2]]',
    ],
  },
  {
    of: 'a result that a route tells only where it is late',
    story: storyWith({
      status: 0,
      routing: [
        { ...TELLS_OPS, verdict: 'tells a late result' },
        { ...TELLS_OPS, verdict: 'tells a recovery or a late result' },
      ],
    }),
    en: [
      'route matched: The route for get_* applies: of a success, it tells slack:#ops only where that comes late, after a result was missed. [routes[0]]',
      'route matched: The route for get_* applies: of a success, it tells slack:#ops only where that is the first one after an error, or comes late, after a result was missed. [routes[0]]',
    ],
    ja: [
      'route matched: 「get_*」のルートが使われます。成功は、予定の時刻を過ぎてから遅れて届いたときだけ slack:#ops に通知します。 [routes[0]]',
      'route matched: 「get_*」のルートが使われます。成功は、エラーの後の最初の1件か、予定の時刻を過ぎてから遅れて届いたときだけ slack:#ops に通知します。 [routes[0]]',
    ],
  },
  {
    of: 'a start that a route tells only where no result follows',
    story: storyWith({ status: 2, routing: [{ ...TELLS_OPS, verdict: 'tells an overdue run' }] }),
    en: [
      'route did not match: The route for get_* does not apply to a start as it comes: it tells slack:#ops only where the run has no result in time. [routes[0]]',
    ],
    ja: [
      'route did not match: 開始の時点では「get_*」のルートは使われません。時間内に結果が届かないときだけ slack:#ops に通知します。 [routes[0]]',
    ],
  },
  {
    of: 'a BOT that no route names',
    story: storyWith({ routing: [] }),
    en: ['route did not match: No route names this BOT, and there is no default route.'],
    ja: ['route did not match: このBOTを指定したルートがなく、既定のルートもありません。'],
  },
  {
    of: 'a BOT that only the default route may be for',
    story: storyWith({
      routing: [
        { route: 'default_route', reaches: ['slack:#ops'], verdict: 'tells' },
        {
          route: 'default_route',
          matched: false,
          because: '',
          reaches: [],
          verdict: 'not of this status',
          on: ['succeeded'],
        },
      ],
    }),
    en: [
      'route matched: No route names this BOT, and the default route applies: it tells slack:#ops. [default_route]',
      'route did not match: No route names this BOT, and the default route does not apply: it tells only of successes, and this is an error. [default_route]',
    ],
    ja: [
      'route matched: このBOTを指定したルートがなく、既定のルートが使われ、slack:#ops に通知します。 [default_route]',
      'route did not match: このBOTを指定したルートがなく、既定のルートは使われません。通知するのは成功だけで、これはエラーです。 [default_route]',
    ],
  },
  {
    of: 'what people did, who they were, and from where, and how it had ended before',
    story: storyWith({
      deliveries: [deliveryWith({ state: 'held', reason: DISMISSED, lastError: REFUSED })],
      history: [
        rowAt(500, 'dead', { error: REFUSED }),
        rowAt(1000, 'redelivered', { actor: ACTOR, bulkId: 3 }),
        rowAt(2000, 'routed_anew', {
          actor: { ...ACTOR, via: 'api', user: undefined },
          told: [],
          untouched: [],
        }),
        rowAt(2000, 'routed', { by: 'hand', explanations: [TELLS_OPS] }),
        rowAt(2500, 'held', undefined, { result: NO_LONGER_ROUTED }),
        rowAt(3000, 'dismissed', { actor: { ...ACTOR, via: 'command line' } }),
      ],
    }),
    en: [
      'dead: Not told: slack:#ops; Botbell gave up (The server refused it). [permanent, 550]',
      'redelivered: aya had the message for slack:#ops delivered again, on the page, from 192.0.2.7 (in bulk, no. 3).',
      'routed anew: Somebody had it routed anew, by the API, from 192.0.2.7.',
      'held: Not told: slack:#ops, where the config no longer sends it.',
      'dismissed: aya marked the message for slack:#ops as done, on the command line, from 192.0.2.7.',
    ],
    ja: [
      'dead: slack:#ops には届いていません。送信をあきらめました（この宛先には配送できません。アドレスを確認してください）。 [permanent, 550: The server refused it.]',
      'redelivered: ayaさんが、管理画面から、slack:#ops へのメッセージの再送を指示しました（接続元 192.0.2.7、一括操作 3）。',
      'routed anew: APIから、宛先の決め直しを指示しました（接続元 192.0.2.7）。',
      'dismissed: ayaさんが、コマンドから、slack:#ops へのメッセージを対応済みにしました（接続元 192.0.2.7）。',
    ],
  },
  {
    of: 'an alert',
    story: storyWith({ kind: 'alert', routing: [], deliveries: [deliveryWith()] }),
    en: ['received: Botbell raised this alert about 商品取得.'],
    ja: ['received: 「商品取得」について、Botbellがこのお知らせを出しました。'],
  },
  {
    of: 'what answers took',
    story: storyWith({
      history: [
        answerAt(0, 200, 'duplicate', 3),
        answerAt(0, 200, 'held', 70),
        answerAt(0, 200, 'accepted', 1500),
        answerAt(0, 503, 'unavailable', 90_000),
      ],
    }),
    en: [
      'answered: The job service was answered after 3 ms: everybody had been told before. [HTTP 200]',
      'answered: The job service was answered after 70 ms: by a rule, nobody is told for now. [HTTP 200]',
      'answered: The job service was answered after 1.5 s: it is written down, and Botbell tells everybody by itself. [HTTP 200]',
      'answered: The job service was answered after 1 min 30 s: Botbell could not take it, so it is to be posted again. [HTTP 503]',
    ],
    ja: [
      'answered: ジョブサービスに3ミリ秒で応答しました（全員に届いたあとでした）。 [HTTP 200]',
      'answered: ジョブサービスに70ミリ秒で応答しました（ルールにより、今は通知しません）。 [HTTP 200]',
      'answered: ジョブサービスに1.5秒で応答しました（記録したので、Botbellが自分で届けます）。 [HTTP 200]',
      'answered: ジョブサービスに1分30秒で応答しました（Botbellが受け付けられなかったため、もう一度送るよう求めました）。 [HTTP 503]',
    ],
  },
];

describe('the story of a callback', () => {
  for (const { of, story, en, ja } of TELLINGS) {
    it(`tells ${of}, in both languages`, () => {
      expect(eventsOf(story, 'en').filter((text) => en.includes(text))).to.deep.equal(en);
      expect(eventsOf(story, 'ja').filter((text) => ja.includes(text))).to.deep.equal(ja);
    });
  }

  it('tells each thing that can happen by a name of its own', () => {
    const names = new Set(TELLINGS.flatMap(({ story }) => told(story).events).map(({ what }) => what));
    const all: Readonly<Record<StoryEventName, true>> = {
      received: true,
      'route matched': true,
      'route did not match': true,
      superseded: true,
      held: true,
      attempt: true,
      delivered: true,
      dead: true,
      'taken over': true,
      answered: true,
      alerted: true,
      redelivered: true,
      dismissed: true,
      'routed anew': true,
      'left out': true,
    };
    // Of a callback that came a thousand times.
    names.add('left out');
    expect([...names].toSorted()).to.deep.equal(Object.keys(all).toSorted());
  });
});
