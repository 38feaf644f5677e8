/** Phrases of refused bodies. */
export const REFUSED = {
  'refused.title': ['Rejected requests', '受付拒否'],
  'refused.lead': [
    'What came and was no callback: nobody was told of it, and no retry of it can succeed. The newest thousand are kept.',
    'コールバックとして受け付けられなかった内容です。誰にも通知していません。同じ内容を再送しても受け付けられません。新しいものから千件まで保存しています。',
  ],
  'refused.none': ['Nothing has been rejected.', '受付を拒否したものはありません。'],
  'refused.times': ['{number|request|requests}', '{number}件'],
  'refused.since': ['since {time}', '{time} から'],
  'refused.from': ['From', '送信元'],
  'refused.all': ['Show each of them', '1件ずつ見る'],
  'refused.see': ['Mark as seen', '確認済みにする'],
  'refused.seen': ['Seen', '確認済み'],
  'refused.whole': ['the whole body', '本文全体'],
  'refused.moreFaults': ['and {number|more reason|more reasons}', 'ほか{number}件'],
  'refused.body': ['The body as it came', '受信した本文'],
  'refused.empty': ['The body was empty, or was not kept.', '本文は空だったか、保存されていません。'],
  'refused.cut': ['The first {shown} of {kept}.', '{kept}のうち、先頭の{shown}。'],
  'refused.400': ['not JSON', 'JSONではありません'],
  'refused.413': ['too large', '大きすぎます'],
  'refused.415': ['wrong kind of content', '内容の種類が違います'],
  'refused.422': ['not a callback', 'コールバックではありません'],
} as const;
