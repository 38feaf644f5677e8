/** Phrases of the destinations, and of a message that is drawn again. */
export const DESTINATIONS = {
  'destinations.lead': [
    'Everybody whom the config may have told. A test really sends a message, marked as a test: the only way to see that it arrives.',
    '今の設定にある通知先です。「テストを送る」は、テストと明記した通知を実際に送ります。本当に届くかどうかは、これで確かめられます。',
  ],
  'destinations.none': ['The config names nobody.', '設定に通知先がありません。'],
  'destinations.tooMany': ['Only the first {number} are shown.', '先頭の{number}件だけを表示しています。'],
  'destinations.state': ['State', '状態'],
  'destinations.lastTold': ['Last told', '最後に届いた'],
  'destinations.lastError': ['Last error', '最後のエラー'],
  'destinations.waiting': ['Waiting', '送信待ち'],
  'destinations.dead': ['Given up', '配信不能'],
  'destinations.test': ['Test', 'テスト'],
  'destinations.send': ['Send a test', 'テストを送る'],
  'destinations.sendTo': ['Send a test to {destination}', '{destination} へテストを送る'],
  'destinations.works': ['Works', '正常'],
  'destinations.fails': ['Fails', '届いていません'],
  'destinations.unused': ['Not used yet', '未使用'],
  'destinations.paused': ['Paused for {time}', '休止中（あと{time}）'],
  'destinations.pausedChannel': [
    'The whole channel is paused for {time}: it limits its rate.',
    '送信数の制限を受けたため、このチャンネル全体をあと{time}休止しています。',
  ],
  'destinations.channel': ['{type}, {number|destination|destinations}', '{type}、通知先 {number}件'],

  'message.not sent': ['It has not been sent.', 'まだ送っていません。'],
  'message.changed': [
    'The config has changed since ({before}, now {now}), so it may have looked otherwise when it was sent.',
    '送信後に設定が変わりました（{before} → {now}）。送信時の見た目とは異なる可能性があります。',
  ],
  'message.template failed': [
    'A template failed; the built-in one was used:',
    'テンプレートのエラーで、標準を使いました：',
  ],
} as const;
