/** The sentences of a story in Japanese. */
import type { StatusName } from '../callback/callback.ts';
import type { Actor } from '../ledger/actions/action.ts';
import type { CallbackResult } from '../ledger/ledger.ts';
import type { ByHand } from './facts.ts';
import { AT_ONCE_MS, type Sayings, WORTH_TELLING_MS } from './sayings.ts';
import type { Group, Words } from './words.ts';

const REPORTED: Readonly<Record<StatusName, string>> = {
  succeeded: 'が成功したという通知',
  error: 'がエラーで終わったという通知',
  executing: 'の実行が始まったという通知',
};

const STATUS: Readonly<Record<StatusName, string>> = {
  succeeded: '成功',
  error: 'エラー',
  executing: '実行中',
};

const ANSWERED: Readonly<Record<CallbackResult, string>> = {
  delivered: '全員に届きました',
  duplicate: '全員に届いたあとでした',
  no_route: '通知する相手がいません',
  superseded: 'ジョブの結果が届いているため、もう通知しません',
  held: '保留にしました',
  accepted: '記録したので、Botbellが自分で届けます',
  taken_over: '届いていない相手には、Botbellが自分で再送を続けます',
  gave_up: '届けられない相手がいて、送信をあきらめました',
  failed: '届いていない相手がいるため、もう一度送るよう求めました',
  timed_out: '時間内に全員へ届かなかったため、もう一度送るよう求めました',
  unavailable: 'Botbellが受け付けられなかったため、もう一度送るよう求めました',
};

const VIA: Readonly<Record<Actor['via'], string>> = {
  page: '管理画面から、',
  api: 'APIから、',
  'command line': 'コマンドから、',
};

function quoted(name: string): string {
  return name === '' ? '' : `「${name}」`;
}

function statuses(on: readonly string[]): string {
  const names = on.map((status) => STATUS[status as StatusName]);
  return names.length === 0 ? 'なし' : names.join('と');
}

/** @param pattern undefined: the default route */
function routeFor(pattern: string | undefined, { name }: Sayings): string {
  return pattern === undefined
    ? 'このBOTを指定したルートがないため、既定のルート'
    : `「${name(pattern)}」のルート`;
}

function why({ error }: Pick<Group, 'error'>, { cause }: Sayings): string {
  return error === undefined ? '' : `（${cause(error)}）`;
}

/** @param did what, as the end of the sentence has it */
function byHand(did: string, { actor, note, bulkId }: ByHand, { name }: Sayings): string {
  const user = actor.user === undefined ? '' : `${name(actor.user)}さんが、`;
  const bulk = bulkId === undefined ? '' : `、一括操作 ${bulkId}`;
  const words = note === undefined || note === '' ? '' : `、メモ「${name(note)}」`;
  return `${user}${VIA[actor.via]}${did}（接続元 ${name(actor.from)}${bulk}${words}）。`;
}

function whom(destinations: readonly string[], { list }: Sayings): string {
  return destinations.length === 0 ? 'この通知' : `${list(destinations)} へのメッセージ`;
}

function after(tookMs: number, { duration }: Sayings): string {
  return tookMs < AT_ONCE_MS ? 'すぐに' : `${duration(tookMs)}で`;
}

/** Empty where it is not worth a word. */
function costOf({ tookMs, costMs }: { tookMs: number; costMs: number }, { duration }: Sayings): string {
  if (costMs < WORTH_TELLING_MS) return '';
  const wait = costMs > tookMs ? '（次に送られるまでの待ち時間を含みます）' : '';
  return `このためBOTの実行時間が${duration(costMs)}かかりました${wait}。`;
}

function untilGivenUp({ givesUpAt }: Pick<Group, 'givesUpAt'>, { time }: Sayings): string {
  return givesUpAt === undefined ? '' : `${time(givesUpAt)} まで再送を続けます。`;
}

function atTime(at: number | undefined, { time }: Sayings): string {
  return at === undefined ? 'のちほど' : `${time(at)} に`;
}

function until(at: number | undefined, { time }: Sayings): string {
  return at === undefined ? 'しばらく' : `${time(at)} まで`;
}

export const JAPANESE: Words = {
  space: '',
  events: {
    received: ({ botName, status }, { name }) =>
      `${quoted(name(botName)) || 'BOT'}${REPORTED[status]}を、ジョブサービスから受け取りました。`,
    receivedAgain: ({ time }) => `同じ通知を再び受け取りました（${time}回目）。`,
    raised: ({ botName }, { name }) =>
      `${quoted(name(botName)) || 'メッセージ'}について、Botbellがこのお知らせを出しました。`,
    routeTells: ({ pattern, reaches }, sayings) =>
      `${routeFor(pattern, sayings)}が使われ、${sayings.list(reaches)} に通知します。`,
    routeTellsNobody: ({ pattern }, sayings) =>
      `${routeFor(pattern, sayings)}が使われますが、設定により誰にも通知しません。`,
    routeToldAlready: ({ pattern }, sayings) =>
      `${routeFor(pattern, sayings)}も当てはまりますが、その相手には前のルートが通知します。`,
    routeOfOtherStatus: ({ pattern, on, status }, sayings) =>
      pattern === undefined
        ? `このBOTを指定したルートがなく、既定のルートも使われません。通知するのは${statuses(on)}だけで、これは${STATUS[status]}です。`
        : `${routeFor(pattern, sayings)}は使われません。通知するのは${statuses(on)}だけで、これは${STATUS[status]}です。`,
    noOtherRoute: () => 'ほかに、このBOTを指定したルートはありません。',
    noRoute: () => 'このBOTを指定したルートがなく、既定のルートもありません。',
    reroutedByConfig: () => '設定が変わったため、宛先を決め直しました。',
    revived: ({ destination = '' }, { name }) =>
      `${name(destination)} が設定で再び宛先になったため、Botbellが送信します。`,
    superseded: ({ destination }, { name }) =>
      destination === undefined
        ? 'ジョブの結果が先に届いていたため、開始の通知はどこにも送りませんでした。'
        : `ジョブの結果が届いているため、開始の通知を ${name(destination)} に送るのをやめました。`,
    unrouted: ({ destination = '' }, { name }) =>
      `${name(destination)} は現在の設定では宛先ではないため、保留にしました。`,
    held: ({ destination = '', code }, { name }) =>
      `${name(destination)} への通知を、ルール「${name(code)}」により保留にしました。`,
    attemptFailed: ({ destination = '', number, durationMs, error, isSame }, { name, duration, cause }) =>
      isSame
        ? `${name(destination)} への${number}回目の送信も、${duration(durationMs)}で同じ理由により失敗しました。`
        : `${name(destination)} への${number}回目の送信が、${duration(durationMs)}で失敗しました。${cause(error)}。`,
    delivered: ({ destination = '', number, durationMs }, { name, duration }) =>
      number === undefined || durationMs === undefined
        ? `${name(destination)} に届きました。`
        : `${name(destination)} に届きました（${number}回目の送信、${duration(durationMs)}）。`,
    dead: ({ destination = '', error }, sayings) =>
      `${sayings.name(destination)} への送信をあきらめました${why({ error }, sayings)}。`,
    takenOver: ({ destination = '' }, { name }) =>
      `これ以降 ${name(destination)} には、ジョブサービスによらずBotbellが自分で再送します。`,
    answered: ({ result, tookMs, costMs }, sayings) =>
      `ジョブサービスに${after(tookMs, sayings)}応答しました（${ANSWERED[result]}）。${costOf({ tookMs, costMs }, sayings)}`,
    unanswered: () => 'まだ応答が記録されていません。',
    alerted: ({ told, untold }, { list }) =>
      told.length > 0
        ? `運用担当者にお知らせしました（${list(told)}）。`
        : `運用担当者にお知らせしています（${list(untold)}）。`,
    redelivered: (fact, sayings) =>
      byHand(`${whom(fact.destinations, sayings)}の再送を指示しました`, fact, sayings),
    dismissed: (fact, sayings) =>
      byHand(`${whom(fact.destinations, sayings)}を対応済みにしました`, fact, sayings),
    routedByHand: (fact, sayings) => byHand('宛先の決め直しを指示しました', fact, sayings),
    leftOut: ({ count }, { number }) => `ここでは、ほかに${number(count)}件の出来事を省略しています。`,
    next: ({ standing, destination = '' }, sayings) =>
      JAPANESE.next[standing.kind]({ ...standing, who: sayings.name(destination) }, sayings),
  },
  next: {
    'being sent': ({ who }) => `${who} に送信しているところです。`,
    due: (group, sayings) =>
      `${group.who} に、${atTime(group.at, sayings)}Botbellが再送します。${untilGivenUp(group, sayings)}`,
    'due now': (group, sayings) =>
      `${group.who} に、順番が来しだいBotbellが送信します。${untilGivenUp(group, sayings)}`,
    'after an earlier one': ({ who }) => `${who} には、同じジョブの前の通知が済んでから送信します。`,
    paused: ({ who, at }, sayings) =>
      `${who} が受信を制限しているため、${atTime(at, sayings)}送信を再開します。`,
    'the service’s': ({ who, at }, sayings) =>
      `${who} には、ジョブサービスが再び送ってきたときに送信します。来なければ、${atTime(at, sayings)}Botbellが引き継ぎます。`,
    'held until': ({ who, at }, sayings) => `${who} への通知は、${until(at, sayings)}保留です。`,
  },
  summary: {
    told: ({ who, at }, { time }) => `${who} に届きました${at === undefined ? '' : `（${time(at)}）`}。`,
    'being sent': ({ who }) => `${who} に送信しているところです。`,
    due: (group, sayings) =>
      `${group.who} にはまだ届いていません${why(group, sayings)}。${atTime(group.at, sayings)}再送します。`,
    'due now': (group, sayings) =>
      `${group.who} にはまだ届いていません${why(group, sayings)}。順番が来しだい送信します。`,
    'after an earlier one': ({ who }) =>
      `${who} にはまだ届いていません。同じジョブの前の通知が済むのを待っています。`,
    paused: ({ who, at }, sayings) =>
      `${who} にはまだ届いていません。受信が制限されているため、${atTime(at, sayings)}送信を再開します。`,
    'the service’s': (group, sayings) =>
      `${group.who} にはまだ届いていません${why(group, sayings)}。ジョブサービスが再び送ってくるのを待っています。来なければ、${atTime(group.at, sayings)}Botbellが引き継ぎます。`,
    'held until': ({ who, at }, sayings) => `${who} への通知は、${until(at, sayings)}保留です。`,
    held: ({ who, heldBy = '' }, { name }) => `${who} への通知は、ルール「${name(heldBy)}」により保留です。`,
    dead: (group, sayings) => `${group.who} には届いていません。送信をあきらめました${why(group, sayings)}。`,
    'dead unrouted': ({ who }) => `${who} には届いていません。現在の設定には、この通知の宛先がありません。`,
    dismissed: ({ who }) => `${who} には届いていません。対応済みとされています。`,
    unrouted: ({ who }) => `${who} には届いていません。現在の設定では宛先ではありません。`,
    superseded: ({ who }) => `${who} には送っていません。ジョブの結果が先に届いたためです。`,
  },
  nobody: {
    superseded: () => 'ジョブの結果が、この開始の通知より先に届いていました',
    noRoute: () => 'このBOTを指定したルートがなく、既定のルートもありません',
    onPurpose: () => 'このBOTのルートが、誰にも通知しない設定になっています',
    otherStatus: (isDefault, on, status) =>
      isDefault
        ? `このBOTを指定したルートがなく、既定のルートが通知するのは${statuses(on)}だけですが、これは${STATUS[status]}です`
        : `このBOTのルートが通知するのは${statuses(on)}だけですが、これは${STATUS[status]}です`,
    unknown: () => 'どのルートにも宛先がありませんでした',
  },
  nobodyWasTold: (reason) => `誰にも通知していません。${reason}。`,
  moreDestinations: (count) => `ほかの宛先（${count}件）は下にあります。`,
};
