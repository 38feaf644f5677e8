/** What is wrong with a refused body, in Japanese: the check speaks English, as the interface's answers do. */

/** In the order in which they are tried; what each group holds is put in at `$1`, `$2`, … */
type Words = readonly (readonly [form: RegExp, words: string])[];

const SENTENCES: Words = [
  [/^is missing: it must be (.+)$/s, 'がありません（$1が必要です）'],
  [/^must be (.+?), found (.+)$/s, 'は$1である必要がありますが、$2でした'],
  [/^(?:is nested|must not be nested) deeper than (\d+) levels$/, 'の入れ子が$1段を超えています'],
];

/** What a field must be, and what was found. */
const PHRASES: Words = [
  [/^an ISO 8601 date-time that exists, such as (\S+)$/, '実在するISO 8601の日時（例: $1）'],
  [/^the string "(.*)"$/s, '文字列「$1」'],
  [/^the number (.+)$/, '数値 $1'],
  [/^a JSON object$/, 'JSONオブジェクト'],
  [/^an object$/, 'オブジェクト'],
  [/^an array$/, '配列'],
  [/^a string$/, '文字列'],
  [/^an integer$/, '整数'],
  [/^a number$/, '数値'],
  [/^0, 1 or 2$/, '0、1、2のいずれか'],
];

const WRONG_FORM = 'の形式が正しくありません';

/** @param detail of one error of the check. @returns what follows the field's name */
export function faultInJapanese(detail: string): string {
  return inJapanese(SENTENCES, detail, (phrase) => inJapanese(PHRASES, phrase) ?? phrase) ?? WRONG_FORM;
}

function inJapanese(table: Words, text: string, inside = (group: string) => group): string | undefined {
  const [form, words] = table.find(([each]) => each.test(text)) ?? [];
  const groups = form?.exec(text) ?? [];
  return words?.replace(/\$(\d)/g, (_, at: string) => inside(groups[Number(at)] ?? ''));
}

const BODY_SENTENCES: Words = [
  [/^The body is not UTF-8/, '本文がUTF-8ではありません。'],
  [/^The body is empty/, '本文が空です。コールバックはJSONオブジェクトです。'],
  [/Unexpected end|Unterminated/, '本文がJSONではありません（途中で途切れています）。'],
  [/ at position (\d+)/, '本文がJSONではありません（$1文字目付近）。'],
  [/^The body is not JSON/, '本文がJSONではありません。'],
  [/is larger than (\d+) bytes/, '本文が大きすぎます（上限は$1バイトです）。'],
  [/Content-Type/, 'Content-Type が application/json ではありません。'],
  [/charset/, '文字コードは utf-8 だけを受け付けます。'],
  [/Content-Encoding may be/, 'Content-Encoding は gzip、deflate、br、identity だけを受け付けます。'],
  [/could not be read/, '本文を読み取れません（Content-Encoding または Content-Length と一致しません）。'],
  [/not a callback/, 'JSONですが、コールバックの形式ではありません。'],
];

const BY_STATUS: Readonly<Record<number, string>> = {
  400: '本文がJSONではありません。',
  413: '本文が大きすぎます。',
  415: '本文の形式（Content-Type、Content-Encoding）を受け付けられません。',
};

/** @param status HTTP status code of the answer. @param detail its sentence */
export function refusalInJapanese(status: number, detail: string): string {
  return inJapanese(BODY_SENTENCES, detail) ?? BY_STATUS[status] ?? '受け付けられない内容です。';
}
