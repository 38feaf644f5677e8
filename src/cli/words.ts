/** What commands say, in English and Japanese. */
import type { Phrases, Say } from '../text/say.ts';

export const WORDS = {
  'demo.started': ['A BOT has started', 'BOTの実行が始まる'],
  'demo.failed': ['The same job ends in an error', '同じジョブがエラーで終わる'],
  'demo.succeeded': [
    'Another BOT succeeds, with outputs and a file',
    '別のBOTが正常に終わる（出力値とファイルつき）',
  ],
  'demo.no mail': [
    'An error while the mail server is out of order: Slack is told, the mail is not',
    'メールサーバーの障害中のエラー：Slackには届き、メールは届かない',
  ],
  'demo.again': [
    'The job service posts it again (30 s later; the demo does not wait): only the mail was missing',
    'ジョブサービスが再送する（実際は30秒後。デモでは待たない）：足りないメールだけを送る',
  ],
  'demo.answered': ['answered {answer}: {became}', '応答 {answer}：{became}'],
  'demo.stay': [
    'To see these messages on a page, as their readers do, run it with --stay.',
    'これらのメッセージを、受け取る人が見るとおりにページで見るには、--stay をつけて実行してください。',
  ],
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

  'init.written here': [
    'Written: botbell.yaml, .env.example, templates/',
    '書き出しました：botbell.yaml、.env.example、templates/',
  ],
  'init.written': [
    'Written to {folder}: botbell.yaml, .env.example, templates/',
    '{folder} に書き出しました：botbell.yaml、.env.example、templates/',
  ],
  'init.enter': ['Go there:', 'フォルダーへ移動します。'],
  'init.secrets': [
    "Put your channels' secrets into .env, your addresses into botbell.yaml, and read .env in each terminal:",
    'チャネルの秘密情報を .env に、宛先を botbell.yaml に書き、ターミナルごとに .env を読み込みます。',
  ],
  'init.service': [
    'A service runs what is there (docs/install.md); change it, and check it with:',
    'ここの設定はサービスが読み込みます（docs/install.md）。書き換えたら、次のコマンドで確認します。',
  ],
  'init.check': ['Check the config:', '設定を確認します。'],
  'init.print': [
    'Run it. Until botbell.yaml names your Slack, it prints messages instead of sending them:',
    '起動します。botbell.yaml に自分のSlackを書くまでは、メッセージを送らずに表示します。',
  ],
  'init.test': [
    'Send a test to each destination, and run it:',
    '宛先ごとにテストメッセージを送り、起動します。',
  ],
  'init.send': [
    'In another terminal, in the same folder, post a callback as the job service does:',
    '別のターミナルを開き、同じフォルダーから、ジョブサービスと同じようにコールバックを送ります。',
  ],
  'init.later': [
    'Once your secrets are in .env (copy .env.example), run it with them:',
    '秘密情報を .env に書いたら（.env.example をコピーします）、次のように起動します。',
  ],
} as const satisfies Phrases;

export type Words = Say<typeof WORDS>;
