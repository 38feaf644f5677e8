/** What came of an action, in a sentence for whoever asked for it. */
export const ACTS = {
  'act.redeliver.accepted': ['It is sent in a moment.', 'まもなく送ります。'],
  'act.redeliver.delivered': ['It has arrived already.', 'すでに届いています。'],
  'act.redeliver.superseded': [
    'Its job has ended, so it is not sent any more.',
    'ジョブが終わったため、送りません。',
  ],
  'act.redeliver.open': ['It is on its way already.', 'すでに送信の途中です。'],
  'act.dismiss.dismissed': ['Marked as done: it is not sent again.', '対応済みにしました。再送しません。'],
  'act.dismiss.not dead': ['There is nothing to mark as done.', '対応済みにするものがありません。'],
  'act.route.told': ['It goes to {destinations} now.', '{destinations} へ送ります。'],
  'act.route.nobody': ['The config in force names nobody for it.', '今の設定では、通知する相手がいません。'],
  'act.route.untouched': [
    '{destinations}: told already, or on its way.',
    '{destinations} には届いているか、送信中です。',
  ],
  'act.bulk.redelivered': ['Begun: they are sent again.', '再送を始めました。'],
  'act.bulk.dismissed': ['Begun: they are marked as done.', '対応済みにする処理を始めました。'],
  'act.bulk.stopped': ['Stopped. What is queued is still sent.', '停止しました。開始済みの分は送ります。'],
  'act.bulk.over': ['It has ended already.', 'すでに終わっています。'],
  'act.seen': ['Marked as seen.', '確認済みにしました。'],
  'act.snooze.begun': ['Snoozed.', 'スヌーズしました。'],
  'act.snooze.ended': [
    'The snooze has ended: what it held is told now.',
    'スヌーズを終了しました。保留した通知をまとめて送ります。',
  ],
  'act.snooze.nothing': ['Name a BOT, a destination, or both.', 'BOTか通知先を指定してください。'],
  'act.snooze.past': ['The time must be one to come.', 'これからの日時を指定してください。'],
  'act.snooze.unknown': ['The config has no such destination.', '設定にその通知先がありません。'],
  'act.snooze.whose': ['Name the BOT whose success ends it.', '成功を待つBOTを指定してください。'],
  'act.test.delivered': [
    'The test reached {destination} in {time}. {words}',
    '{destination} に届きました（{time}）。{words}',
  ],
  'act.test.failed': [
    'The test did not reach {destination}. {words}',
    '{destination} に届きませんでした。{words}',
  ],
  'act.test.unknown': ['The config in force has no such destination.', '今の設定にこの通知先はありません。'],
  'act.reload.loaded': ['The config {hash} is in force now.', '設定 {hash} で動いています。'],
  'act.reload.same': ['Nothing has changed.', '変更はありません。'],
  'act.reload.refused': [
    'Not loaded: the config has {number|error|errors}, shown below. The one before stays in force.',
    '読み込めませんでした。設定に誤りが{number}件あります（下に表示）。これまでの設定のまま動いています。',
  ],
  'act.reload.unchanged': ['A restart is needed for {what}.', '{what} の変更には再起動が必要です。'],
  'act.unknown': ['There is no such thing any more.', '対象はもうありません。'],
  'act.unavailable': [
    'The ledger cannot be written now: nothing was done.',
    '記録に書き込めず、何も実行していません。',
  ],
} as const;
