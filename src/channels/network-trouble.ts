/** Gives an error below the protocol (DNS, TCP, TLS, timeouts) a short code and words. */

export interface NetworkError {
  /** Node's own code where there is one: `ECONNREFUSED`, `ENOTFOUND`. */
  readonly code: string;
  /** A clause without a full stop, e.g. `the connection was refused`; what it means for the message is not in it. */
  readonly words: string;
  /** A certificate or TLS version was not accepted, which no retry changes. */
  readonly isTlsRefusal: boolean;
  /** The remote may have taken the message. */
  readonly mayHaveArrived: boolean;
}

const MAX_CAUSES = 8;

/** undici's and the platform's names for what the operating system already has a code for. */
const SYNONYMS: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'ECONNRESET',
  UND_ERR_CONNECT_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_HEADERS_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_BODY_TIMEOUT: 'ETIMEDOUT',
  EPIPE: 'ECONNRESET',
};

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused; check host, port and firewall',
  ECONNRESET: 'the connection broke off before the answer was complete',
  ETIMEDOUT: 'there was no complete answer in time',
  ENOTFOUND: 'the host name is unknown; check its spelling and the DNS',
  EAI_AGAIN: 'the DNS did not answer',
  EHOSTUNREACH: 'the host cannot be reached from here',
  ENETUNREACH: 'the network cannot be reached from here',
};

const AMBIGUOUS: ReadonlySet<string> = new Set(['ECONNRESET', 'ETIMEDOUT']);

const TLS_CODE = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|^ERR_SSL|^ERR_TLS|^HOSTNAME_MISMATCH/;
const NODE_CODE = /^[A-Z][A-Z0-9_]+$/;

export function networkErrorOf(error: unknown): NetworkError {
  const code = codeOf(error);
  const mayHaveArrived = AMBIGUOUS.has(code);
  if (TLS_CODE.test(code)) {
    const words = 'its TLS certificate or version was not accepted';
    return { code, words, isTlsRefusal: true, mayHaveArrived };
  }
  const words = WORDS[code] ?? `the connection failed (${code})`;
  return { code, words, isTlsRefusal: false, mayHaveArrived };
}

function codeOf(error: unknown): string {
  for (const link of causeChain(error)) {
    if (link.name === 'TimeoutError') return 'ETIMEDOUT';
    for (const key of ['originalCode', 'code']) {
      const code: unknown = Reflect.get(link, key);
      if (typeof code === 'string' && NODE_CODE.test(code)) return SYNONYMS[code] ?? code;
    }
  }
  return 'network_error';
}

/** The innermost error first: wrappers name themselves, only the origin knows the reason. */
function causeChain(error: unknown): Error[] {
  const chain: Error[] = [];
  let link = error;
  while (link instanceof Error && chain.length < MAX_CAUSES) {
    chain.unshift(link);
    link = link.cause;
  }
  return chain;
}
