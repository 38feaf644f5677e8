/** What came of an action, in a sentence for whoever asked for it. */
import { count, translated } from './translated.ts';

export const ACT_WORDS = translated({
  en: {
    redeliver: {
      accepted: (destination: string) => `It goes to ${destination} again, in a moment.`,
      delivered: (destination: string) =>
        `${destination} has it already. To send it once more, choose “Deliver once more”.`,
      superseded: 'It is out of date: the result of its job is known, so it is not sent any more.',
      open: 'It is on its way already.',
      unknown: 'There is no such delivery any more.',
    },
    thisDestination: 'this destination',
    dismiss: {
      dismissed: 'Marked as done: nobody will try it again.',
      'not dead': 'It is not given up, so there is nothing to mark as done.',
      unknown: 'There is no such delivery any more.',
    },
    route: {
      told: (destinations: string) => `Current routes applied: it goes to ${destinations} now.`,
      nobody: 'The config in force names nobody for it.',
      untouched: (destinations: string) =>
        `${destinations} have it already, or will have it anyway; nothing is sent.`,
      superseded: 'It is out of date: the result of its job is known, so nobody is told of it any more.',
      unknown: 'There is no such callback any more.',
    },
    bulk: {
      redelivered: 'They are being delivered again. This page shows how far it has come.',
      dismissed: 'They are being marked as done. This page shows how far it has come.',
      stopped: 'Stopped. What it has given back by now is still delivered.',
      over: 'It has ended already.',
      unknown: 'There is no such redelivery.',
    },
    test: {
      delivered: (destination: string, words: string, time: string) =>
        `A test message reached ${destination} in ${time}. ${words}`,
      failed: (destination: string, words: string) =>
        `The test message did not reach ${destination}. ${words}`,
      unknown: 'The config in force has no such destination.',
    },
    reload: {
      loaded: (hash: string) => `Loaded. The config ${hash} is in force now.`,
      same: 'Nothing has changed, so nothing was loaded.',
      refused: (problems: number) =>
        `Not loaded: the config has ${count(problems, 'error')}, shown below. The one before stays in force.`,
      unchanged: (what: string) => ` A restart is needed for ${what}.`,
    },
    unreadable: 'The form was not complete. Go back, reload the page and try again.',
    unavailable: 'The ledger cannot be written at the moment, so nothing was done. Try again in a moment.',
    and: ', ',
  },
  ja: {
    redeliver: {
      accepted: (destination) => `${destination} へまもなく再送します。`,
      delivered: (destination) =>
        `${destination} にはすでに届いています。もう一度送るには「重ねて送る」を選んでください。`,
      superseded: 'このジョブの結果が出ているため、古くなったこの通知は送りません。',
      open: 'すでに送信の途中です。',
      unknown: 'この配信はもうありません。',
    },
    thisDestination: 'この通知先',
    dismiss: {
      dismissed: '対応済みにしました。今後は再送しません。',
      'not dead': '配信不能ではないため、対応済みにするものがありません。',
      unknown: 'この配信はもうありません。',
    },
    route: {
      told: (destinations) => `現在のルートを適用しました。${destinations} へ送ります。`,
      nobody: '今の設定で宛先を決め直しましたが、通知する相手がいません。',
      untouched: (destinations) =>
        `現在のルートを適用しました。${destinations} には届いているか、これから届くため、新たに送るものはありません。`,
      superseded: 'このジョブの結果が出ているため、古くなったこの通知は送りません。',
      unknown: 'このコールバックはもうありません。',
    },
    bulk: {
      redelivered: '再送を始めました。進み具合はこのページで確認できます。',
      dismissed: '対応済みにする処理を始めました。進み具合はこのページで確認できます。',
      stopped: '停止しました。これまでに再送を始めたものは、そのまま送信します。',
      over: 'すでに終わっています。',
      unknown: 'この再送はありません。',
    },
    test: {
      delivered: (destination, words, time) =>
        `テスト通知が ${destination} に届きました（${time}）。${words}`,
      failed: (destination, words) => `テスト通知は ${destination} に届きませんでした。${words}`,
      unknown: '今の設定にこの通知先はありません。',
    },
    reload: {
      loaded: (hash) => `読み込みました。設定 ${hash} で動いています。`,
      same: '変更がないため、読み込みませんでした。',
      refused: (problems) =>
        `読み込めませんでした。設定に誤りが${problems}件あります（下に表示）。これまでの設定のまま動いています。`,
      unchanged: (what) => ` ${what} の変更には再起動が必要です。`,
    },
    unreadable: 'フォームの内容が足りません。前のページに戻り、再読み込みしてからお試しください。',
    unavailable:
      '現在、記録に書き込めないため、何も実行していません。しばらくしてからもう一度お試しください。',
    and: '、',
  },
});
