/** Says in Japanese why a body was refused. What is kept is English, as in the answer to the sender. */

const BY_STATUS: Readonly<Record<number, string>> = {
  400: '本文を読み取れません。',
  413: '本文が大きすぎます。',
  415: '本文の形式（Content-Type、Content-Encoding）を受け付けられません。',
  503: 'Botbellで予期しないエラーが起きました。ログを確認してください。',
  422: 'JSONですが、コールバックの形式ではありません。',
};

/** @param status HTTP status code of the answer. @param detail the problem's `detail` in the answer */
export function refusalInJapanese(status: number, detail: string): string {
  const words = BY_STATUS[status] ?? '受け付けられない内容です。';
  return status === 422 || status === 503 ? words : `${words}（${faultInJapanese(detail)}）`;
}

const WANTED: Readonly<Record<string, string>> = {
  'a string': '文字列',
  'an integer': '整数',
  'a number': '数値',
  'an object': 'オブジェクト',
  'an array': '配列',
  'a JSON object': 'JSONのオブジェクト',
  'the integer 0 (succeeded), 1 (error) or 2 (executing)':
    '整数0（成功）、1（エラー）、2（実行中）のいずれか',
};

/** Sentences that do not say what a value must be. */
const OTHERS: readonly (readonly [english: RegExp, japanese: string])[] = [
  [/^is nested deeper than (\d+) levels$/, '入れ子が$1段を超えています'],
  [/^The body is not JSON: (.*)\.$/, 'JSONではありません（$1）'],
  [/^The body is not UTF-8.*$/, 'UTF-8ではありません'],
  [/^The body is empty.*$/, '空です'],
  [/^The body could not be read.*$/, '途中で切れたか、Content-EncodingかContent-Lengthに合いません'],
  [/^The body is larger than (\d+) bytes.*$/, '$1バイトを超えています'],
  [/^The body holds more than (\d+) JSON values.*$/, 'JSONの値が$1個を超えています'],
  [/^This body .* as (Content-Type: .*)\.$/, '$1 で送ってください'],
  [/^This body .* charset is (.*)\.$/, '文字コードは$1だけを受け付けます'],
  [
    /^This body .* Content-Encoding may be .*$/,
    'Content-Encodingはgzip、deflate、br、identityだけを受け付けます',
  ],
  [/^Something unforeseen.*$/, '予期しないエラーです。ログを確認してください'],
];

/** @param detail of a `CallbackError`, or why a body is none */
export function faultInJapanese(detail: string): string {
  const [, wanted, found] = /^(?:is missing: it )?must be (.*?)(?:, found (.*))?$/.exec(detail) ?? [];
  if (wanted === undefined)
    return OTHERS.reduce((text, [english, japanese]) => text.replace(english, japanese), detail);
  const expected =
    WANTED[wanted] ??
    wanted.replace(/^an ISO 8601 date-time that exists, such as/, '実在するISO 8601の日時、例：');
  if (found === undefined) return `ありません（${expected}が必要です）`;
  const given = WANTED[found] ?? found.replace(/^the string /, '文字列 ').replace(/^the number /, '数値 ');
  return `${expected}が必要ですが、${given} です`;
}
