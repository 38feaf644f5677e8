/** Says in Japanese why a body or a request was refused. The ledger keeps the reason in English, as in the answer to the sender. */
import type { Language } from '../time/display.ts';
import { FIELDS } from './callback.ts';

const WANTED: Readonly<Record<string, string>> = Object.fromEntries([
  ...FIELDS.map(({ what }) => what),
  ['an array', '配列'],
  ['a JSON object', 'JSONのオブジェクト'],
]);

/** Sentences about a callback or its body that do not say what a value must be. */
const OTHERS: readonly (readonly [english: RegExp, japanese: string])[] = [
  [/^is nested deeper than (\d+) levels$/, '入れ子が$1段を超えています'],
  [/^This is JSON, but not a callback.*$/, 'JSONですが、コールバックの形式ではありません。'],
  [/^The body is not JSON: (.*)\.$/, '本文がJSONではありません（$1）。'],
  [/^The body is not UTF-8.*$/, '本文がUTF-8ではありません。'],
  [/^The body is empty.*$/, '本文が空です。'],
  [/^The body could not be read.*$/, '本文が途中で切れたか、Content-EncodingかContent-Lengthに合いません。'],
  [/^The body is larger than (\d+) bytes.*$/, '本文が$1バイトを超えています。'],
  [/^The body holds more than (\d+) JSON values.*$/, '本文のJSONの値が$1個を超えています。'],
  [/^(?:This body .* as|Send it as) (Content-Type: .*)\.$/, '$1 で送ってください。'],
  [/^This body .* charset is (.*)\.$/, '文字コードは$1だけを受け付けます。'],
  [
    /^This body .* Content-Encoding may be .*$/,
    'Content-Encodingはgzip、deflate、br、identityだけを受け付けます。',
  ],
  [/^Only (.*) is allowed here\.$/, 'ここでは $1 だけを受け付けます。'],
  [/^Something unforeseen.*$/, '予期しないエラーです。ログを確認してください。'],
];

/** @param detail of a `CallbackError`, or of the answer to a refused body */
export function faultIn(detail: string, language: Language): string {
  if (language === 'en') return detail;
  const [, wanted, found] = /^(?:is missing: it )?must be (.*?)(?:, found (.*))?$/.exec(detail) ?? [];
  if (wanted === undefined)
    return OTHERS.reduce((text, [english, japanese]) => text.replace(english, japanese), detail);
  const expected = WANTED[wanted] ?? wanted;
  if (found === undefined) return `ありません（${expected}が必要です）`;
  const given = WANTED[found] ?? found.replace(/^the string /, '文字列 ').replace(/^the number /, '数値 ');
  return `${expected}が必要ですが、${given} です`;
}
