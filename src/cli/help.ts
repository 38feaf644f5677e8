/** What the command line takes, in English and Japanese: arguments, options, help, and messages about wrong usage. */
import { ALL_STATUSES } from '../callback/callback.ts';
import type { Language } from '../time/display.ts';

/** Details of an option or argument. */
export interface Details {
  readonly choices?: readonly string[];
  readonly default?: string | undefined;
  /** A variable of the environment. */
  readonly env?: string;
  /** Names of options that make no sense beside it. */
  readonly conflicts?: readonly string[];
  /** It makes no sense without one of these; an argument may have this, too. */
  readonly needs?: readonly string[];
}

type Row = readonly [english: string, japanese: string, details?: Details];

const CALLBACK = [
  'a callback as JSON, or - for standard input',
  'コールバックのJSONファイル。- は標準入力',
] as const;

const printed = <const Choices extends readonly [string, ...string[]]>(choices: Choices) =>
  ['how to print it', '出力の形式', { choices, default: choices[0] }] as const;

/** Each command, followed by its arguments and options. The word in angle brackets says how a text is read (`readersIn`). */
// prettier-ignore
const ROWS = {
  botbell: ['A webhook-to-chat bridge: results of BOTs in, messages on chats and by email out.', 'BOTの実行結果をWebhookで受け取り、チャットとメールに知らせます。'],
  'botbell -c, --config <file>': ['default: $BOTBELL_CONFIG, else config/botbell.yaml, else botbell.yaml', '設定ファイル。既定は $BOTBELL_CONFIG、config/botbell.yaml、botbell.yaml の順'],
  serve: ['run the receiver and the admin listener (the default)', 'コールバックを受け付け、知らせます（コマンドなしでも同じ）'],
  'serve --log-level <level>': ['how much to log', 'ログの詳しさ', { env: 'BOTBELL_LOG_LEVEL', choices: ['debug', 'info', 'warn', 'error', 'silent'], default: 'info' }],
  demo: ['show everything on this machine, with nothing to set up', '準備なしで、このマシンだけで一通り見せます'],
  'demo --stay': ['go on serving, so that you can post to it', '動き続けるので、コールバックを送って試せます'],
  'demo --lang <language>': ['of what is shown (default: as LANG says)', '表示の言語（既定：LANG の言語）', { choices: ['en', 'ja'] }],
  check: ['check the config and every template it names', '設定と、使うテンプレートを検査します'],
  'check --online': ['also ask each remote whether it takes the credentials, and look whether the store can be used', '接続先で認証できるか、記録を使えるかも確かめます'],
  'check --strict': ['count warnings as errors', '警告も誤りとして数えます'],
  'check --without-secrets': ['take for granted what is not set (CI)', '設定されていない変数を、あるものとします（CI用）', { conflicts: ['online'] }],
  route: ['show which routes a callback matches, whom it reaches, and why not the others', 'コールバックに合うルートと宛先、合わない理由を示します'],
  'route [file]': CALLBACK,
  'route --bot <bot_id>': ['of a BOT, without a callback', 'コールバックの代わりに、BOTについて尋ねます'],
  'route --status <status>': ['of --bot, only this one', '--bot のうち、この状態だけ', { choices: ALL_STATUSES, needs: ['--bot <bot_id>'] }],
  'route --all': ['of each BOT that the config or the store names', '設定か記録にあるすべてのBOTについて尋ねます'],
  'route --at <time>': ['also what rules do about it then, e.g. now, or 2026-11-24T18:00', 'その時刻のルールの判断も示します（例：now、2026-11-24T18:00）', { needs: ['[file]', '--bot <bot_id>'] }],
  'route --format <format>': printed(['text', 'json']),
  preview: ['show a callback as each destination would see it, without sending anything', '宛先ごとのメッセージを、送らずに表示します'],
  'preview <file>': CALLBACK,
  'preview --to <destination>': ['only this one, e.g. slack:#ops', 'この宛先だけ（例：slack:#ops）'],
  'preview --format <format>': printed(['text', 'json', 'html']),
  why: ['tell what became of each callback of a job, and why, from the ledger, which is only read', 'ジョブのコールバックがどうなったか、なぜかを、記録から示します'],
  'why [job_id]': ['a job, as its callbacks name it', 'コールバックにあるジョブのID'],
  'why --bot <bot_id>': ['the last callbacks of a BOT instead', '代わりに、BOTの最近のコールバック'],
  'why --not-told <destination>': ['what did not reach it instead, e.g. slack:#ops', '代わりに、この宛先に届かなかったもの（例：slack:#ops）'],
  'why --since <duration>': ['of --not-told, how far back (default: 1d)', '--not-told でさかのぼる長さ（既定：1d）', { needs: ['--not-told <destination>'] }],
  'why --last <n>': ['no more than the last ones, of --not-told reasons (default: all of a job, 5 of a BOT)', '新しいものから何件まで。--not-told では理由の数（既定：ジョブはすべて、BOTは5件）'],
  'why --format <format>': printed(['text', 'json']),
  report: ['say what BOTs did in a month, or from one day to another, worst first, from the ledger', '月や期間のBOTの結果を、悪い順に、記録から示します'],
  'report --month <month>': ['such as 2026-11 (default: the current one)', '2026-11 のような月（既定：今月）'],
  'report --from <day>': ['instead, from this day on, such as 2026-11-01', '代わりに、この日から（例：2026-11-01）'],
  'report --to <day>': ['of --from, up to and with this day (default: today)', '--from からこの日まで（既定：今日）'],
  'report --bot <bot_id>': ['only of this one', 'このBOTだけ'],
  'report --format <format>': printed(['text', 'json', 'csv']),
  backup: ['write a whole copy of the SQLite store, while the service runs; never over a file', '動作中でも、SQLiteの記録全体を写します。上書きはしません'],
  'backup <file>': ['a file that is not there yet', 'まだないファイル'],
  redeliver: ['deliver again what was given up, or is held as no longer routed; says first how many', '配信不能や、対象外になった保留を再送します。先に件数を示します'],
  'redeliver [id...]': ['deliveries, as `botbell why --format json` and the page name them', '配信の番号（`botbell why --format json` とページにあります）'],
  'redeliver --dead': ['all that is dead or held as no longer routed', '配信不能と、対象外になった保留のすべて'],
  'redeliver --destination <destination>': ['of --dead, only to this one, e.g. slack:#ops', '--dead のうち、この宛先だけ（例：slack:#ops）', { needs: ['--dead'] }],
  'redeliver --since <duration>': ['of --dead, only what came since, e.g. 2d', '--dead のうち、その間に届いたものだけ（例：2d）', { needs: ['--dead'] }],
  'redeliver --dismiss': ['mark as done: nobody is ever told', '対応済みにし、今後も送りません', { conflicts: ['again', 'route'] }],
  'redeliver --again': ['of single ones: also what was delivered', '番号を指定したとき、届いたものも送ります', { needs: ['[id...]'] }],
  'redeliver --route <job_id>': ['instead route a job anew by today’s config; tells who has not been told', '代わりに、ジョブを今の設定で選び直し、まだの宛先に送ります'],
  'redeliver -y, --yes': ['do not ask', '確認を省きます'],
  snooze: ['hold what there is to tell of a BOT, or at a destination; then tell it as one summary', 'BOTや宛先の通知を保留し、後で1件にまとめて知らせます'],
  'snooze [bot]': ['a BOT, as its callbacks name it', 'コールバックにあるBOTのID', { needs: ['--until <when>'] }],
  'snooze --to <destination>': ['only there, e.g. slack:#ops; without a BOT: of every BOT', 'この宛先だけ（例：slack:#ops）。BOTがなければ、すべてのBOT', { needs: ['--until <when>'] }],
  'snooze --until <when>': ['2h, 18:00, 2026-12-24, a date-time, tomorrow (the next 9:00), or next-success (of a BOT)', '2h、18:00、2026-12-24、日時、tomorrow（次の9:00）、next-success（BOTの次の成功）'],
  'snooze --because <reason>': ['why, for whoever sees it', '見る人のための理由', { needs: ['--until <when>'] }],
  'snooze --list': ['show what is snoozed instead', '代わりに、スヌーズの一覧'],
  'snooze --end <id>': ['end a snooze instead', '代わりに、スヌーズを終えます'],
  'snooze --format <format>': printed(['text', 'json']),
  status: ['say what needs somebody: which BOTs and destinations are in trouble, why, and who is on it', '対応が要るBOTと宛先、その原因、対応中の人を示します'],
  'status --format <format>': printed(['text', 'json']),
  'take-up': ['say that you are on it, or that nobody is any more', '対応を始めたこと、やめたことを伝えます'],
  'take-up <id...>': ['incidents, as `botbell status` numbers them', 'インシデントの番号（`botbell status` にあります）'],
  'take-up --by <name>': ['who is on it (default: your user here)', '対応する人（既定：このマシンのユーザー）'],
  'take-up --because <reason>': ['what you know of it, for whoever sees it', '見る人のための、わかっていること'],
  'take-up --quiet': ['snooze their BOTs until the next success, too', '次に成功するまで、BOTをスヌーズもします'],
  'take-up --give-back': ['nobody is on it any more', '対応をやめます', { conflicts: ['by', 'because', 'quiet'] }],
  send: ['play the job service: POST a callback, and post it again while it is not answered 2xx', 'ジョブサービスと同じようにコールバックを送り、2xxでなければ送り直します'],
  'send <file>': ['a file to POST, or - for standard input', '送るファイル。- は標準入力'],
  'send --url <url>': ['where to (default: the receiver of the config)', '送り先（既定：設定の receiver）'],
  'send --retries <count>': ['how often to post again (default: 0)', '送り直す回数（既定：0）'],
  'send --interval <duration>': ['how long to wait before (default: 30s)', '送り直すまでの時間（既定：30s）'],
  'send --fresh': ['give it a new job id, so that it is no duplicate of what was sent before', '新しいジョブIDにし、前に送ったものと区別します'],
  test: ['really send a message marked as a test, and say what each remote answered', 'テストのメッセージを実際に送り、応答を示します'],
  'test [destinations...]': ['such as slack:#ops', '宛先（例：slack:#ops）'],
  'test --all': ['to each destination that the config has', '設定にあるすべての宛先に送ります'],
  'test --report <file>': ['send a success and an error, too, which mentions whom it would, and write a page of what to look at in the app', '成功とエラーも送り（メンションもします）、アプリで確認することをページに書き出します'],
  init: ['write a config of your own to begin with, and nothing over what is there', '最初の設定を書き出します。上書きはしません'],
  'init [dir]': ['the folder to write it to', '書き出すフォルダー', { default: '.' }],
  'init --lang <language>': ['of comments and messages (default: as LANG says)', 'コメントとメッセージの言語（既定：LANG の言語）', { choices: ['en', 'ja'] }],
  'init --channels <types>': ['such as teams,email; without it, messages are printed', 'チャネルの種類（例：teams,email）。なければ、メッセージを表示します'],
  schema: ['print the JSON Schema of the config file', '設定ファイルのJSON Schemaを出力します'],
} as const satisfies Readonly<Record<string, Row>>;

export const TAKEN: Readonly<Record<string, Row>> = ROWS;

/** The options of a command as its `run` gets them: `{ bot: string | undefined }` of `route --bot <bot_id>`. */
export type OptionsOf<Command extends string> = {
  readonly [Key in keyof typeof ROWS as NameIn<Key, Command>]: ValueOf<
    Key,
    (typeof ROWS)[Key][2 & keyof (typeof ROWS)[Key]]
  >;
};

type NameIn<Key, Command extends string> = Key extends
  `${Command} ${string}--${infer Flag}` | `${Command} --${infer Flag}`
  ? InCamelCase<Flag extends `${infer Name} ${string}` ? Name : Flag>
  : never;

type InCamelCase<Name extends string> = Name extends `${infer Before}-${infer Behind}`
  ? `${Before}${Capitalize<InCamelCase<Behind>>}`
  : Name;

type ValueOf<Key, Of> = Of extends { readonly choices: readonly (infer Choice)[] }
  ? Choice | (Of extends { readonly default: string } ? never : undefined)
  : | (Key extends `${string}<${infer Name}>` ? (Name extends keyof ReadAs ? ReadAs[Name] : string) : boolean)
    | undefined;

/** The types into which `readersIn` turns texts; a duration is in milliseconds. */
interface ReadAs {
  readonly duration: number;
  readonly n: number;
  readonly id: number;
  readonly count: number;
  readonly types: readonly string[];
}

/** Commands that take exactly one of these arguments and options. */
export const ONE_OF: Readonly<Record<string, readonly string[]>> = {
  route: ['[file]', '--bot <bot_id>', '--all'],
  why: ['[job_id]', '--bot <bot_id>', '--not-told <destination>'],
  redeliver: ['[id...]', '--dead', '--route <job_id>'],
  snooze: ['--until <when>', '--list', '--end <id>'],
  test: ['[destinations...]', '--all'],
};

/** commander's messages in Japanese, by the English ones. */
// prettier-ignore
const IN_JAPANESE: readonly (readonly [english: RegExp, japanese: string])[] = [
  [/^error: unknown option '(.*)'\n\(Did you mean (?:one of )?(.*)\?\)/s, 'エラー：オプション $1 はありません。「$2」のことですか？'],
  [/^error: unknown option '(.*?)'/s, 'エラー：オプション $1 はありません'],
  [/^error: missing required argument '(.*)'/s, 'エラー：$1 を指定してください'],
  [/^error: option '(.*)' argument missing/s, 'エラー：$1 の値を指定してください'],
  [/^error: (?:option|environment variable) '(.*)' cannot be used with (?:option|environment variable) '(.*)'/s, 'エラー：$1 と $2 は一緒に使えません'],
  [/^error: too many arguments for '(.*)'\. Expected (\d+) arguments? but got (\d+)\./, 'エラー：引数が多すぎます。$1 では$2個までのところ、$3個あります'],
  [/^error: option '(.*)' (?:argument|value) '(.*)' is invalid\. /s, 'エラー：$1 に「$2」は使えません。'],
  [/^error: option '(.*)' value '(.*)' from env '(.*)' is invalid\. /s, 'エラー：$1 に「$2」は使えません（環境変数 $3）。'],
  [/^error: command-argument value '(.*)' is invalid for argument '(.*)'\. /s, 'エラー：$2 に「$1」は使えません。'],
  [/Allowed choices are (.*)\./, '使えるのは $1 です'],
  [/\boutput the version number$/m, 'バージョンを表示します'],
  [/\bdisplay help for command$/gm, '使い方を表示します'],
  [/^Usage: /m, '使い方：'],
  [/^Arguments:$/m, '引数：'],
  [/^Options:$/m, 'オプション：'],
  [/^Global Options:$/m, '共通のオプション：'],
  [/^Commands:$/m, 'コマンド：'],
  [/\(choices:/g, '(選択肢:'],
  [/\bdefault:/g, '既定:'],
  [/\benv:/g, '環境変数:'],
];

export function inLanguageOf(language: Language, text: string): string {
  if (language === 'en') return text;
  return IN_JAPANESE.reduce((said, [english, japanese]) => said.replace(english, japanese), text);
}
