/** What commands say, in English and Japanese. */
import { type Phrases, type Say, sayIn } from '../text/say.ts';
import type { Language } from '../time/display.ts';

// One row a line: what both languages say stands side by side.
// prettier-ignore
const WORDS = {
  'demo.started': ['A BOT has started', 'BOTの実行が始まる'],
  'demo.failed': ['The same job ends in an error', '同じジョブがエラーで終わる'],
  'demo.succeeded': ['Another BOT succeeds, with outputs and a file', '別のBOTが正常に終わる（出力値とファイルつき）'],
  'demo.no mail': ['An error while the mail server is out of order: Slack is told, the mail is not', 'メールサーバーの障害中のエラー：Slackには届き、メールは届かない'],
  'demo.again': ['The job service posts it again (30 s later; the demo does not wait): only the mail was missing', 'ジョブサービスが再送する（実際は30秒後。デモでは待たない）：足りないメールだけを送る'],
  'demo.answered': ['answered {answer}: {became}', '応答 {answer}：{became}'],
  'demo.stay': ['To see these messages on a page, as their readers do, run it with --stay.', 'これらのメッセージを、受け取る人が見るとおりにページで見るには、--stay をつけて実行してください。'],
  'demo.serving': [
    `Serving. Post to it, see here what people are told, and stop it with Ctrl+C:
  {command}
  the page: {page}
  metrics: {page}metrics`,
    `待ち受けています。コールバックを送ると、届く通知がここに表示されます。終了するにはCtrl+Cを押します。
  {command}
  ページ：{page}
  メトリクス：{page}metrics`,
  ],
  'init.written here': ['Written: botbell.yaml, .env.example, templates/', '書き出しました：botbell.yaml、.env.example、templates/'],
  'init.written': ['Written to {folder}: botbell.yaml, .env.example, templates/', '{folder} に書き出しました：botbell.yaml、.env.example、templates/'],
  'init.enter': ['Go there:', 'フォルダーへ移動します。'],
  'init.secrets': ["Put your channels' secrets into .env, your addresses into botbell.yaml, and read .env in each terminal:", 'チャネルの秘密情報を .env に、宛先を botbell.yaml に書き、ターミナルごとに .env を読み込みます。'],
  'init.service': ['A service runs what is there (docs/install.md); change it, and check it with:', 'ここの設定はサービスが読み込みます（docs/install.md）。書き換えたら、次のコマンドで確認します。'],
  'init.check': ['Check the config:', '設定を確認します。'],
  'init.print': ['Run it. Until botbell.yaml names your Slack, it prints messages instead of sending them:', '起動します。botbell.yaml に自分のSlackを書くまでは、メッセージを送らずに表示します。'],
  'init.test': ['Send a test to each destination, and run it:', '宛先ごとにテストメッセージを送り、起動します。'],
  'init.send': ['In another terminal, in the same folder, post a callback as the job service does:', '別のターミナルを開き、同じフォルダーから、ジョブサービスと同じようにコールバックを送ります。'],
  'init.later': ['Once your secrets are in .env (copy .env.example), run it with them:', '秘密情報を .env に書いたら（.env.example をコピーします）、次のように起動します。'],
  'route.at': [', at {time}', '、{time}'],
  'route.bot': ['BOT', 'BOT'],
  'route.of': ['of', '状態'],
  'route.reaching': ['reaches', '通知先'],
  'route.nobody': ['reaches nobody', '通知先なし'],
  'route.reaches': ['reaches {count}:', '通知先 {count}件：'],
  'route.with set': ['{route}, template set {set}', '{route}、テンプレートセット {set}'],
  'route.perhaps': ['perhaps, by what came before: --at now tells', '以前の結果しだいです（--at now で確認できます）'],
  'route.perhaps at': ['perhaps {destination}', '場合により {destination}'],
  'route.steps': ['then, counted from when the route first tells of it:', 'その後（ルートが最初に知らせたときから数えて）：'],
  'route.step': ['after {time}, unless it is over or taken up: {who} ({route})', '{time}後、終わらず、誰も対応していなければ {who}（{route}）'],
  'route.step, unless delivered': ['after {time}, unless it is over, or one of the route has got it: {who} ({route})', '{time}後、終わらず、ルートの誰にも届いていなければ {who}（{route}）'],
  'route.told': ['told', '知らせます'],
  'route.as': [', as {template}', '（{template} として）'],
  'route.let go': ['not told, by {rule}', '{rule} により知らせません'],
  'route.held': ['held by {rule}, {end}', '{rule} により保留します（{end}）'],
  'route.until': ['until {time}', '{time} まで'],
  'route.no end': ['with no end', '期限なし'],
  'route.or success': [' or its next success', '、または次の成功まで'],
  'route.snoozed': ['held by snooze {id} of {by}, {end}: {why}', '{by}さんのスヌーズ {id} により保留します（{end}）：{why}'],
  'route.no reason': ['no reason given', '理由は書かれていません'],
  'route.before': ['depends on what came before: {rules}', '以前の結果によります：{rules}'],
  'route.when': ['depends on the callback: when', 'コールバックの内容によります：when'],
  'route.unknown': ['what came before, and what is snoozed, is not known: {why}', '以前の結果とスヌーズは確認できません：{why}'],
  'route.bots unknown': ['only what the config names is listed: {why}', '設定にあるBOTだけの一覧です：{why}'],
  'snooze.none': ['nothing is snoozed', 'スヌーズ中のものはありません'],
  'snooze.every BOT': ['every BOT', 'すべてのBOT'],
  'snooze.at': [' at {destination}', '（{destination}）'],
  'snooze.success': ['its next success, {time} at the latest', '次の成功（遅くとも {time}）'],
  'snooze.line': ['{id}: {what}, until {until}, by {by} ({held} held)', '{id}: {what}、{until} まで · {by}（保留 {held}件）'],
  'redeliver.messages': ['{count|message|messages}', '{count}件'],
  'redeliver.to': ['{count|message|messages}:', '{count}件：'],
  'redeliver.left alone': ['{id} is left alone: {why}', '{id} はそのままです：{why}'],
  'redeliver.nothing': ['nothing that matches is dead or held as no longer routed', '該当する配信不能や、対象外になった保留はありません'],
  'redeliver.nobody to ask': ['nothing was changed: nobody is at a terminal to be asked; with --yes it is done', '何も変えていません：確認できる端末がありません（--yes をつけると実行します）'],
  'redeliver.dismiss?': ['Dismiss, so that nobody is ever told?', '対応済みにし、今後も送りません。よろしいですか？'],
  'redeliver.again?': ['Deliver again?', '再送しますか？'],
  'redeliver.unchanged': ['nothing was changed', '何も変えていません'],
  'redeliver.given back': ['{count|message|messages} given back: the service delivers them while it runs', '{count}件を再送に回しました。動作中のサービスが送ります'],
  'redeliver.dismissed': ['{count|message|messages} dismissed', '{count}件を対応済みにしました'],
  'redeliver.dismissed by service': ['{count|message|messages} dismissed by the service while it runs', '{count}件は、動作中のサービスが対応済みにします'],
  'redeliver.no job': ['no callback of job {job} is known here', 'ジョブ {job} のコールバックはありません'],
  'redeliver.nobody': [
    'today’s config names nobody for the callbacks of this job; `botbell route` says why',
    '今の設定では、このジョブのコールバックに宛先がありません。理由は `botbell route` で確認できます',
  ],
  'redeliver.newest': ['of older callbacks of this job, nothing is done: only of the newest {count}', 'このジョブの新しい {count}件だけが対象です'],
  'redeliver.job': ['{count|callback|callbacks} of job {job}, which today’s config tells {whom}', 'ジョブ {job} のコールバック {count}件。今の設定での宛先：{whom}'],
  'redeliver.callback': ['callback {id}: {why}', 'コールバック {id}：{why}'],
  'redeliver.other config': ['the running service has another config than {file} is now: have it load that one first (kill -HUP, or a restart), and ask again', '動作中のサービスの設定が、今の {file} と違います。先に読み込ませてから（kill -HUP、または再起動）、やり直してください'],
  'status.not known': ['not known: {why}', '確認できません：{why}'],
  'status.silent': ['no process of Botbell has written to the store for half a minute: it does not run, or its store is full or read-only', 'この30秒間、Botbellのプロセスがストアに書き込んでいません。動いていないか、ストアが満杯または読み取り専用です'],
  'status.well': ['all is well', '問題はありません'],
  'status.line': ['{who} {what} ({bots}{count|time|times}, for {age})', '{who} {what}（{bots}{count}回、{age}前から）'],
  'status.bots': ['{count} BOTs, ', 'BOT {count}件、'],
  'status.taken': ['; {by} is on it{because}', '・{by}さんが対応中{because}'],
  'status.waiting': ['; nobody was told yet', '・まだ誰にも知らせていません'],
  'status.more': [', … {rest} more', ', … ほか{rest}件'],
  'status.to do, error': [
    '`botbell why --bot {bot}` says more; it is over with its next success',
    '詳しくは `botbell why --bot {bot}`。次に成功すると終わります',
  ],
  'status.to do, overdue': ['look whether the job still runs; it is over with its result', 'ジョブがまだ動いているか確認してください。結果が届くと終わります'],
  'status.to do, missed': ['look whether the job service starts it; it is over with its next result', 'ジョブサービスが実行を始めているか確認してください。次の結果が届くと終わります'],
  'status.to do, config': ['mend the setting or the permission, and reload; messages wait meanwhile', '設定や権限を直し、読み込み直してください。その間、通知は待っています'],
  'status.to do, down': ['look whether the service runs; whatever comes is delivered once it answers', 'サービスが動いているか確認してください。応答すると、すべて届きます'],
  'status.to do, store': ['make room, or bring the database back; callbacks are answered 503 meanwhile', '空き容量を作るか、データベースを復旧してください。その間、コールバックには503を返します'],
  'status.to do, limited': ['send less there, or raise its limit; messages wait meanwhile', '送信を減らすか、上限を上げてください。その間、通知は待っています'],
  'status.to do, dead': [
    'mend it, then `botbell redeliver` what was not told, or `botbell redeliver --dismiss` it',
    '原因を直してから `botbell redeliver` で再送するか、`botbell redeliver --dismiss` で対応済みにしてください',
  ],
  'status.to do, refused': ['see what was posted on the page, under Rejected; it is over after an hour without one', '届いた内容は、ページの「受付拒否」で確認できます。1時間届かなければ終わります'],
  'status.to do, reload': [
    'run `botbell check`; the config before it stays in force',
    '`botbell check` を実行してください。それまでの設定で動いています',
  ],
  'check.missing': ['not set here, and so not checked: {names}', 'ここでは設定されておらず、確認していないもの：{names}'],
  'check.channel': ['channel {name}', 'チャネル {name}'],
  'check.usable': ['can be used', '使えます'],
  'check.unusable': ['cannot be used', '使えません'],
  'check.new store': ['can be used; `serve` makes a new ledger there', '使えます。`serve` が新しく作ります'],
  'check.older store': [
    'can be used; `serve` brings it up to date when it starts',
    '使えます。`serve` が起動時に新しい形に直します',
  ],
  'why.remedy': ['To have it told: {command}', '送るには：{command}'],
  'why.all told': ['whatever has come since then was told at {destination}', 'その間に届いたものは、すべて {destination} に送っています'],
  'why.cut': ['these are the last {count} callbacks; the page shows all of them', '新しい {count}件です。すべてはページで確認できます'],
  'backup.done': ['{file}: a whole copy of the store', '{file}：ストア全体のコピーです'],
  'demo.ports': ['DEMO_PORT and DEMO_ADMIN_PORT name other ones', 'DEMO_PORT と DEMO_ADMIN_PORT で、ほかのポートを指定できます'],
} as const satisfies Phrases;

export type Words = Say<typeof WORDS>;

export function wordsIn(speaks: { readonly language: Language }): Words {
  return sayIn(WORDS, speaks);
}
