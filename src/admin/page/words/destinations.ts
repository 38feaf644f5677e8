/** Words of the destinations. */
import { count, translated } from './translated.ts';

export const DESTINATION_WORDS = translated({
  en: {
    title: 'Destinations',
    lead: 'Everybody whom the config may have told, and how that goes. A test really sends a message, marked as a test: the only way to see that it arrives.',
    none: 'The config names nobody.',
    tooMany: (shown: string) => `Only the first ${shown} are shown.`,
    destination: 'Destination',
    standing: 'State',
    lastSuccess: 'Last told',
    lastError: 'Last error',
    waiting: 'Waiting',
    dead: 'Given up',
    test: 'Test',
    send: 'Send a test',
    sendTo: (destination: string) => `Send a test to ${destination}`,
    state: {
      good: 'Works',
      failing: 'Fails',
      paused: (time: string) => `Paused for ${time}`,
      unused: 'Not used yet',
      printed: 'Printed only (outbox)',
    },
    pausedChannel: (time: string) => `The whole channel is left alone for ${time}: it limits its rate.`,
    median: (median: string) => `usually takes ${median}`,
    slow: (slow: string) => `when slow ${slow}`,
    asOf: (process: string) =>
      `Pauses are those of the process that answers, ${process}. Times to send are those of the last hundred messages.`,
    channel: (type: string, destinations: number) => `${type}, ${count(destinations, 'destination')}`,
    outside: 'No longer in the config',
    outsideLead:
      'Dead letters wait here, but the config names these no more. Apply the current routes to their callbacks, or mark them as done.',
  },
  ja: {
    title: '通知先',
    lead: '今の設定にある通知先と、その状況です。「テストを送る」は、テストと明記した通知を実際に送ります。本当に届くかどうかは、これで確かめられます。',
    none: '設定に通知先がありません。',
    tooMany: (shown) => `先頭の${shown}件だけを表示しています。`,
    destination: '通知先',
    standing: '状態',
    lastSuccess: '最後に届いた',
    lastError: '最後のエラー',
    waiting: '送信待ち',
    dead: '配信不能',
    test: 'テスト',
    send: 'テストを送る',
    sendTo: (destination) => `${destination} へテストを送る`,
    state: {
      good: '正常',
      failing: '届いていません',
      paused: (time) => `休止中（あと${time}）`,
      unused: '未使用',
      printed: '出力のみ（outbox）',
    },
    pausedChannel: (time) => `送信数の制限を受けたため、このチャンネル全体をあと${time}休止しています。`,
    median: (median) => `所要 通常${median}`,
    slow: (slow) => `遅いとき${slow}`,
    asOf: (process) =>
      `休止の状態は、応答したプロセス（${process}）のものです。送信時間は直近100件から求めています。`,
    channel: (type, destinations) => `${type}、通知先 ${destinations}件`,
    outside: '設定にない通知先',
    outsideLead:
      '今の設定にない通知先の配信不能です。コールバックの宛先を決め直すか、対応済みにしてください。',
  },
});
