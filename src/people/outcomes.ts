/** The outcomes of what people ask for: an HTTP status and a sentence in both languages, for page, API and command line. */
import { Fault } from '../text/fault.ts';
import type { Language } from '../time/display.ts';

/** `undone`: no error, but nothing was done either. */
type Entry = readonly [status: number, en: string, ja: string, undone?: 'undone'];

const OUTCOMES = {
  accepted: [202, 'It is sent in a moment.', 'まもなく送ります。'],
  open: [
    202,
    'It is on its way already, or a rule holds it.',
    'すでに送信の途中か、ルールで保留中です。',
    'undone',
  ],
  'let go': [
    409,
    'A rule of its route has let it go, so it is not to be told: `botbell why` says which.',
    'ルートのルールにより送らないことになった通知です。どのルールかは botbell why で確認できます。',
  ],
  delivered: [
    409,
    'It has been delivered; once more it is sent only with --again, again=true or “Deliver once more”.',
    '送信済みです。重ねて送るには「重ねて送る」、again=true、--again を使います。',
  ],
  superseded: [
    409,
    'It is no longer true, as the start of a job whose result is known, so nobody is told of it any more.',
    '結果が届いたジョブの開始など、すでに事実と異なるため送りません。',
  ],
  dismissed: [202, 'Marked as done: it is not sent again.', '対応済みにしました。再送しません。'],
  'not dead': [
    409,
    'It is neither a dead letter nor held as no longer routed.',
    '配信不能でも、対象外になった保留でもないため、対応済みにできません。',
  ],
  unknown: [404, 'The ledger has nothing of this id.', '対象はもうありません。'],
  routed: [202, 'It goes to {destinations} now.', '{destinations} へ送ります。'],
  'routed to nobody': [
    202,
    'The config in force names nobody else: nothing is sent.',
    '今の設定では、ほかに宛先がありません。',
    'undone',
  ],
  'bulk redelivered': [202, 'Begun: they are sent again.', '再送を始めました。'],
  'bulk dismissed': [202, 'Begun: they are marked as done.', '対応済みにする処理を始めました。'],
  stopped: [202, 'Stopped. What is queued is still sent.', '停止しました。開始済みの分は送ります。'],
  snoozed: [201, 'Snoozed.', 'スヌーズしました。'],
  'snoozed, unknown': [
    201,
    'Snoozed, but no callback of “{bot}” has come yet: is that its id?',
    'スヌーズしました。ただし「{bot}」のコールバックはまだ届いていません。IDをご確認ください。',
  ],
  ended: [
    202,
    'It has ended; what it held is told as one summary.',
    '終了しました。保留した通知を1件にまとめて送ります。',
  ],
  'taken up': [202, '{by} is on it.', '{by}さんが対応中です。'],
  'given back': [202, 'Nobody is on it any more.', '対応中を取り消しました。'],
  closed: [202, 'Closed.', '終了にしました。'],
  'not open': [409, 'It is over already.', 'すでに終わっています。'],
  'take up by whom': [400, 'Say who takes it up (by).', '対応する人の名前（by）を指定してください。'],
  'take up what': [
    400,
    'Name the incidents by their ids, at most 10,000.',
    'インシデントの番号を1～10000件指定してください。',
  ],
  'snooze nothing': [400, 'Name a BOT, a destination, or both.', 'BOTか宛先を指定してください。'],
  'snooze no time': [
    400,
    '“until” must be a duration (2h), a time (18:00), a day (2026-11-24, at 9:00), a date-time, tomorrow (the next 9:00), or next-success of a BOT.',
    '終了は期間（2h）、時刻（18:00）、日付（2026-11-24。その日の9:00）、日時、tomorrow（次の9:00）、next-success のいずれかで指定してください。',
  ],
  'snooze past': [
    400,
    'That time is over already: name one to come.',
    '過ぎた日時です。これからの日時を指定してください。',
  ],
  'snooze whose': [400, 'Name the BOT whose success ends it.', '成功を待つBOTを指定してください。'],
  'tested, delivered': [200, 'The test for {destination}: {words}', '{destination} へのテスト：{words}'],
  'tested, failed': [
    200,
    'The test did not reach {destination}. {words}',
    '{destination} へのテストは届きませんでした。{words}',
    'undone',
  ],
  'destination unknown': [
    422,
    'The config tells nobody at {destination}{hint}',
    '設定に {destination} という宛先はありません{hint}',
  ],
  'query wrong': [400, 'The query is wrong: {problems}.', '読み取れない条件があります：{problems}。'],
  loaded: [200, 'The config {hash} is in force now.', '設定 {hash} で動いています。'],
  unchanged: [200, 'Nothing has changed.', '変更はありません。'],
  'not loaded': [
    422,
    'The config on the disk has errors and was not loaded: the one before it stays in force.',
    '設定に誤りがあるため、読み込んでいません。これまでの設定のまま動いています。',
  ],
  /** A dry run. */
  counted: [200, 'Nothing has been done yet.', 'まだ何もしていません。'],
  'store unwritten': [
    503,
    'The store does not confirm it: look whether it is done before you do it again.',
    '記録から確認が取れません。もう一度行う前に、実行済みかどうかを確認してください。',
  ],
} as const satisfies Readonly<Record<string, Entry>>;

export type OutcomeName = keyof typeof OUTCOMES;

export interface Outcome {
  readonly name: OutcomeName;
  /** Values for the braces of the outcome's sentence. */
  readonly values?: Fault['values'];
  /** The body of the API's answer, or further members of its problem. */
  readonly json?: Readonly<Record<string, unknown>>;
}

export function statusOf({ name }: Outcome): number {
  return OUTCOMES[name][0];
}

/** Whether what was asked for has been done. */
export function isDone({ name }: Outcome): boolean {
  const [status, , , undone]: Entry = OUTCOMES[name];
  return status < 400 && undone === undefined;
}

export function outcomeInWords({ name, values }: Outcome, language: Language): string {
  const [, en, ja] = OUTCOMES[name];
  return new Fault(name, [en, ja], values).in(language);
}

/** What was asked for cannot be done; `message` says in English why. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super(outcomeInWords(outcome, 'en'));
    this.outcome = outcome;
  }
}

/** For `catch`: the outcome of a refusal. @throws every other error */
export function refusedOutcome(error: unknown): Outcome {
  if (error instanceof Refused) return error.outcome;
  throw error;
}
