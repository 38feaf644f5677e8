/** What came of an action, in a sentence for whoever asked for it. */
export const ACTS = {
  'act.redeliver.accepted': ['It is sent in a moment.', 'まもなく送ります。'],
  'act.redeliver.delivered': [
    'It has arrived already. To send it once more, choose “Deliver once more”.',
    'すでに届いています。もう一度送るには「重ねて送る」を選んでください。',
  ],
  'act.redeliver.superseded': [
    'It is out of date: the result of its job is known, so it is not sent any more.',
    'このジョブの結果が出ているため、古くなったこの通知は送りません。',
  ],
  'act.redeliver.open': ['It is on its way already.', 'すでに送信の途中です。'],
  'act.dismiss.dismissed': [
    'Marked as done: nobody will try it again.',
    '対応済みにしました。今後は再送しません。',
  ],
  'act.dismiss.not dead': [
    'It is not given up, so there is nothing to mark as done.',
    '配信不能ではないため、対応済みにするものがありません。',
  ],
  'act.route.told': [
    'Current routes applied: it goes to {destinations} now.',
    '現在のルートを適用しました。{destinations} へ送ります。',
  ],
  'act.route.nobody': ['The config in force names nobody for it.', '今の設定では、通知する相手がいません。'],
  'act.route.untouched': [
    '{destinations} have it already, or will have it anyway; nothing is sent.',
    '{destinations} には届いているか、これから届くため、新たに送るものはありません。',
  ],
  'act.bulk.redelivered': [
    'They are being delivered again. This page shows how far it has come.',
    '再送を始めました。進み具合はこのページで確認できます。',
  ],
  'act.bulk.dismissed': [
    'They are being marked as done. This page shows how far it has come.',
    '対応済みにする処理を始めました。進み具合はこのページで確認できます。',
  ],
  'act.bulk.stopped': [
    'Stopped. What it has queued by now is still delivered.',
    '停止しました。これまでに再送を始めたものは、そのまま送信します。',
  ],
  'act.bulk.over': ['It has ended already.', 'すでに終わっています。'],
  'act.seen': ['Marked as seen.', '確認済みにしました。'],
  'act.test.delivered': [
    'A test message reached {destination} in {time}. {words}',
    'テスト通知が {destination} に届きました（{time}）。{words}',
  ],
  'act.test.failed': [
    'The test message did not reach {destination}. {words}',
    'テスト通知は {destination} に届きませんでした。{words}',
  ],
  'act.test.unknown': ['The config in force has no such destination.', '今の設定にこの通知先はありません。'],
  'act.reload.loaded': [
    'Loaded. The config {hash} is in force now.',
    '読み込みました。設定 {hash} で動いています。',
  ],
  'act.reload.same': [
    'Nothing has changed, so nothing was loaded.',
    '変更がないため、読み込みませんでした。',
  ],
  'act.reload.refused': [
    'Not loaded: the config has {number|error|errors}, shown below. The one before stays in force.',
    '読み込めませんでした。設定に誤りが{number}件あります（下に表示）。これまでの設定のまま動いています。',
  ],
  'act.reload.unchanged': ['A restart is needed for {what}.', '{what} の変更には再起動が必要です。'],
  'act.unknown': ['There is no such thing any more.', '対象はもうありません。'],
  'act.unavailable': [
    'The ledger cannot be written at the moment, so nothing was done. Try again in a moment.',
    '現在、記録に書き込めないため、何も実行していません。しばらくしてからもう一度お試しください。',
  ],
} as const;
