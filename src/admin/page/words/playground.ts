/** The playground. */
export const PLAYGROUND = {
  'playground.lead': [
    'What would become of a callback: each message as its reader would see it, and why they would get it. Nothing is sent.',
    'コールバックから作られる通知と、その通知先が決まる理由を表示します。何も送りません。',
  ],
  'playground.open': ['Open in the playground', 'プレビューで開く'],
  'playground.callback': ['The callback', 'コールバック'],
  'playground.samples': ['Samples', '見本'],
  'playground.json': ['Callback as JSON', 'コールバック（JSON）'],
  'playground.too long': [
    'This callback is too large to be changed here ({size}); it is shown as it is. Paste another one to try that.',
    'このコールバックは大きいため（{size}）、ここでは書き換えられません。元のまま表示しています。別の内容を貼り付けることはできます。',
  ],
  'playground.options': ['Recipient and template set', '通知先とテンプレート'],
  'playground.set': ['Template set', 'テンプレート'],
  'playground.any set': ['As the routes say', 'ルートの指定どおり'],
  'playground.to': ['Message for', '通知先'],
  'playground.routed': ['Everybody whom the routes name', 'ルートで決まる全員'],
  'playground.any of': ['Anybody on {channel}', '{channel} の誰か'],
  'playground.preview': ['Preview', 'プレビュー'],
  'playground.result': ['What would become of it', '結果'],
  'playground.invalid': [
    'This is no callback: it would be refused.',
    'コールバックではないため、受け付けられません。',
  ],
  'playground.unreadable': [
    'This cannot be read: it would be refused.',
    '読み取れないため、受け付けられません。',
  ],
  'playground.unknown': ['The ledger has no such callback.', 'このコールバックは記録にありません。'],
  'playground.routes': ['Why: the routes', '理由（ルート）'],
  'playground.route': ['Route', 'ルート'],
  'playground.because': ['Because', '理由'],
  'playground.reaches': ['Reaches', '通知先'],
  'playground.nobody': ['Nobody would be told.', '誰にも通知しません。'],
  'playground.no routes': ['The config has no routes.', '設定にルートがありません。'],
  'playground.alert': [
    'This is an alert of Botbell’s own: it has no routes, and goes to the destinations in “alerts”.',
    'これはBotbellからのお知らせです。ルートはなく、「alerts」の通知先に送ります。',
  ],
  'playground.more': [
    'and {number|more destination|more destinations}, shown when you choose them',
    'ほか{number}件の通知先は、選ぶと表示します',
  ],
  'playground.not routed': ['No route sends it there.', 'どのルートも、ここには送りません。'],
  'playground.by': ['by {route}', '{route} による'],
  'playground.with set': ['template set {set}', 'テンプレート {set}'],
  'playground.verdict.tells': ['The BOT matches {pattern}.', 'BOTが {pattern} に一致します。'],
  'playground.verdict.default': ['No route names this BOT.', 'このBOTを指定したルートがありません。'],
  'playground.verdict.tells a recovery': [
    'Of a success, it tells only where that is the first one after an error.',
    '成功は、エラーの後の最初の1件だけ通知します。',
  ],
  'playground.verdict.tells nobody': ['It tells nobody, on purpose.', '設定により、誰にも通知しません。'],
  'playground.verdict.told already': [
    'Whom it tells, an earlier route tells already.',
    '同じ相手に、前のルートが通知します。',
  ],
  'playground.verdict.not of this status': [
    'It is told only of: {on}.',
    '通知するのは次の結果だけです：{on}',
  ],
  'playground.verdict.another BOT': ['It is for other BOTs.', '別のBOTのためのルートです。'],
  'playground.verdict.not needed': [
    'Another route names this BOT, so the default one does not apply.',
    'ほかのルートがこのBOTを指定しているため、既定のルートは使いません。',
  ],
} as const;
