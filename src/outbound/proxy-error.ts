/** A proxy that did not make the connection that it was asked for: nothing of the request has left it. */
import type { Proxy } from './proxy.ts';

export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  /** Without user and password. */
  readonly proxy: string;
  /** What it answered; undefined: it did not, as `cause` says. */
  readonly status: number | undefined;

  constructor({ origin }: Proxy, happened: { readonly status: number } | { readonly cause: unknown }) {
    super(`The proxy ${origin} made no connection`, 'cause' in happened ? { cause: happened.cause } : {});
    this.proxy = origin;
    this.status = 'status' in happened ? happened.status : undefined;
  }
}

/** What the proxy answered, and what to do. */
export function answerInWords(
  { proxy }: ProxyError,
  status: number,
): { readonly en: string; readonly ja: string } {
  if (status === 407)
    return {
      en: `the proxy ${proxy} asks for another user name and password (407): http://user:password@host:port in \`proxy\` of the config, or in the environment (HTTPS_PROXY, HTTP_PROXY)`,
      ja: `プロキシ ${proxy} が別のユーザー名とパスワードを求めています（407）。proxy（または環境変数 HTTPS_PROXY、HTTP_PROXY）を http://user:password@host:port の形式で設定してください`,
    };
  if (isLastingAnswer(status))
    return {
      en: `the proxy ${proxy} refused to connect (${status}); ask whoever runs it to allow this host, or name the host in NO_PROXY`,
      ja: `プロキシ ${proxy} が接続を拒否しました（${status}）。プロキシの管理者に許可を依頼するか、送信先を NO_PROXY に加えてください`,
    };
  return {
    en: `the proxy ${proxy} could not connect (${status})`,
    ja: `プロキシ ${proxy} が送信先に接続できませんでした（${status}）`,
  };
}

/** Whether the next attempt would get the same answer. */
export function isLastingAnswer(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}
