/** Turns errors of the network and of a proxy into failures, in the same way for every channel. */
import { NothingSent, Unanswered } from '../outbound/exchange.ts';
import { answerInWords, isLastingAnswer, ProxyError } from '../outbound/proxy.ts';
import { type DeliveryFailure, failureOf, type Words } from './failure.ts';

/** An error below the application protocol: DNS, TCP, TLS, a timeout, a proxy on the way. */
export interface NetworkError {
  /** Node's own code if there is one: `ECONNREFUSED`, `ENOTFOUND`; `proxy_407` for a proxy's answer 407. */
  readonly code: string;
  /** The cause only; `networkFailureOf` adds whether the message may have arrived. */
  readonly words: Words;
  /** No retry can succeed: a certificate or TLS version was not accepted, or a proxy refuses. */
  readonly isRefusal: boolean;
  readonly mayHaveArrived: boolean;
}

/** @param mayHaveArrived overrides the error's value if the channel knows better */
export function networkFailureOf(
  remote: Words,
  { code, words, isRefusal, mayHaveArrived: isAmbiguous }: NetworkError,
  mayHaveArrived = isAmbiguous,
): DeliveryFailure {
  const outcome = mayHaveArrived
    ? { en: 'The message may have arrived', ja: 'メッセージは届いている可能性があります' }
    : { en: 'Nothing was sent', ja: 'メッセージは送信されていません' };
  return failureOf(
    { class: isRefusal ? 'config' : 'transient', code, mayHaveArrived },
    {
      en: `No answer from ${remote.en.replace(/^The /, 'the ')}: ${words.en}. ${outcome.en}`,
      ja: `${remote.ja}から応答がありません。${words.ja}。${outcome.ja}`,
    },
  );
}

const MAX_CAUSES = 8;

/** undici's errors for an answer that it cannot read have several codes, or none. */
const UNREADABLE = 'unreadable_answer';

/** Libraries' own codes, and the operating system's codes that replace them. */
const SYNONYMS: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'ECONNRESET',
  ECONNECTION: 'ECONNRESET',
  EPIPE: 'ECONNRESET',
  UND_ERR_HEADERS_OVERFLOW: UNREADABLE,
  UND_ERR_RES_EXCEEDED_MAX_SIZE: UNREADABLE,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: UNREADABLE,
};

/** undici's code for a timeout while connecting, before any of the message was sent. */
const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';

/** Errors that can occur after a part of the message was sent. */
const AMBIGUOUS: Readonly<Record<string, Words>> = {
  ECONNRESET: {
    en: 'the connection broke off before the answer was complete',
    ja: '応答の途中で接続が切れました',
  },
  [UNREADABLE]: {
    en: 'what came is not HTTP, or too long',
    ja: '応答がHTTPとして読み取れないか、長すぎます',
  },
  ETIMEDOUT: { en: 'there was no complete answer in time', ja: '時間内に応答が完了しませんでした' },
};

/** What is wrong with a remote's TLS, by Node's and OpenSSL's codes; the last row matches all other codes. */
const TLS_REFUSED: readonly (readonly [code: RegExp, words: Words])[] = [
  [
    /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)/,
    {
      en: 'what answers at this port does not speak TLS; check the port, and https:// or smtps://',
      ja: 'このポートの相手はTLSに対応していません。ポートと、https:// や smtps:// の指定を確認してください',
    },
  ],
  [
    /^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)/,
    {
      en: 'its TLS certificate is valid at another time; have it renewed, or check the clock of this machine',
      ja: '接続先のTLS証明書の有効期間外です。証明書の更新、またはこのマシンの時計を確認してください',
    },
  ],
  [
    /ALTNAME|^HOSTNAME_MISMATCH/,
    {
      en: 'its TLS certificate is for another host name; use the name that it has',
      ja: '接続先のTLS証明書は別のホスト名のものです。証明書にあるホスト名を使ってください',
    },
  ],
  [
    /SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/,
    {
      en: 'its TLS certificate is of no authority that is known here; name the file of its CA in the environment variable NODE_EXTRA_CA_CERTS',
      ja: '接続先のTLS証明書の認証局を確認できません。認証局の証明書のファイルを環境変数 NODE_EXTRA_CA_CERTS に指定してください',
    },
  ],
  [
    /CERT|^ERR_SSL|^ERR_TLS/,
    {
      en: 'its TLS certificate or version was not accepted',
      ja: '接続先のTLS証明書またはTLSバージョンを検証できませんでした',
    },
  ],
];

/** What no look at the remote mends. */
const NO_FILES: Words = {
  en: 'this machine may open no further connection; raise its limit of open files (ulimit -n, LimitNOFILE)',
  ja: 'このマシンでこれ以上接続を開けません。開けるファイル数の上限（ulimit -n、LimitNOFILE）を上げてください',
};
const OF_THIS_MACHINE: Readonly<Record<string, Words>> = { EMFILE: NO_FILES, ENFILE: NO_FILES };

export function networkErrorOf(error: unknown): NetworkError {
  const chain = causeChain(error);
  const ofProxy = chain.find((link) => link instanceof ProxyError);
  if (ofProxy !== undefined) return proxyErrorOf(ofProxy);
  const found = codeOf(chain);
  const ambiguous = AMBIGUOUS[found];
  const code = found === CONNECT_TIMEOUT ? 'ETIMEDOUT' : found;
  const [, refused] = TLS_REFUSED.find(([of]) => of.test(code)) ?? [];
  const words = ambiguous ?? refused ?? OF_THIS_MACHINE[code] ?? connectionFailed(code);
  const isUnsent = refused !== undefined || chain.some((link) => link instanceof NothingSent);
  const isSent = ambiguous !== undefined || chain.some((link) => link instanceof Unanswered);
  const mayHaveArrived = isSent && !isUnsent;
  return { code, words, isRefusal: refused !== undefined, mayHaveArrived };
}

function connectionFailed(code: string): Words {
  return {
    en: `the connection failed (${code}); check host, port, DNS and firewall`,
    ja: `接続に失敗しました（${code}）。ホスト、ポート、DNS、ファイアウォールを確認してください`,
  };
}

/** The message never passed the proxy. */
function proxyErrorOf(error: ProxyError): NetworkError {
  const { proxy, status, cause } = error;
  if (status !== undefined) {
    const words = answerInWords(error, status);
    return { code: `proxy_${status}`, words, isRefusal: isLastingAnswer(status), mayHaveArrived: false };
  }
  const { code, words, isRefusal } = networkErrorOf(cause);
  const inWords = {
    en: `the proxy ${proxy} could not be used: ${words.en}`,
    ja: `プロキシ ${proxy} を利用できません。${words.ja}`,
  };
  return { code, words: inWords, isRefusal, mayHaveArrived: false };
}

function codeOf(chain: readonly Error[]): string {
  for (const link of chain) {
    if (link.name === 'TimeoutError') return 'ETIMEDOUT';
    if (link.name === 'HTTPParserError') return UNREADABLE;
    for (const key of ['originalCode', 'code']) {
      const code: unknown = Reflect.get(link, key);
      if (typeof code !== 'string' || !/^[A-Z][A-Z0-9_]+$/.test(code)) continue;
      if (code === 'ETIMEDOUT' && Reflect.get(link, 'syscall') === 'connect') return CONNECT_TIMEOUT;
      return SYNONYMS[code] ?? code;
    }
  }
  return 'network_error';
}

/** The innermost error first: wrappers have codes of their own, and only the innermost error has the reason. */
function causeChain(error: unknown): Error[] {
  const chain: Error[] = [];
  let link = error;
  while (link instanceof Error && chain.length < MAX_CAUSES) {
    chain.unshift(link);
    link = link.cause;
  }
  return chain;
}
