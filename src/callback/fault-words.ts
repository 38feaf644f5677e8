/** Says in Japanese why a body was refused. The details stay in English, as in the answer to the sender. */

const BY_STATUS: Readonly<Record<number, string>> = {
  400: '本文がJSONではありません。',
  413: '本文が大きすぎます。',
  415: '本文の形式（Content-Type、Content-Encoding）を受け付けられません。',
  503: 'Botbellで予期しないエラーが起きました。ログを確認してください。',
  422: 'JSONですが、コールバックの形式ではありません。',
};

/** @param status HTTP status code of the answer. @param detail the problem's `detail` in the answer */
export function refusalInJapanese(status: number, detail: string): string {
  const words = BY_STATUS[status] ?? '受け付けられない内容です。';
  return status === 422 || status === 503 ? words : `${words}（${detail}）`;
}
