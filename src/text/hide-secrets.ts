/** Removes secrets from text, in every encoding in which a library or a remote may repeat them. */
import { cutEnd, shortLine } from './cut.ts';

/** Shorter values, such as a port, also occur in harmless text, and hiding them would garble it. */
const SHORTEST_SECRET = 8;

export function isLongEnough(secret: string): boolean {
  return secret.length >= SHORTEST_SECRET;
}

/** Longer secrets first, so that no rest of one stays. @param secrets those shorter than eight characters are ignored */
export function secretsHidden(secrets: readonly string[]): (text: string) => string {
  const spellings = [...new Set(secrets.filter(isLongEnough).flatMap(spellingsOf))];
  if (spellings.length === 0) return (text) => text;
  spellings.sort((a, b) => b.length - a.length);
  // Most texts hold no secret: testing for any of them at once costs a fifth of searching for each.
  const any = new RegExp(spellings.map(literally).join('|'));
  return (text) =>
    any.test(text) ? spellings.reduce((rest, spelling) => rest.replaceAll(spelling, '[secret]'), text) : text;
}

const LONGEST_MESSAGE = 500;

/** Makes text one line of at most 500 characters without secrets. */
export function redactor(hide: (text: string) => string): (text: string) => string {
  return (text) => {
    // Hides before the cut, which could leave half a secret, and again after cleaning, which can join one that was split.
    const hidden = hide(text);
    const line = shortLine(hidden, 2 * LONGEST_MESSAGE);
    return cutEnd(line === hidden ? line : hide(line), LONGEST_MESSAGE, '…');
  };
}

/** Only the latest are kept, since a process may reload for years. */
const MOST_SECRETS = 1000;

/** Hides every secret that was added, including those of earlier configs. */
export class HiddenSecrets {
  #secrets: readonly string[] = [];
  #hide = secretsHidden([]);

  constructor(secrets: readonly string[] = []) {
    this.add(secrets);
  }

  add(secrets: readonly string[]): void {
    this.#secrets = [...new Set([...secrets, ...this.#secrets])].slice(0, MOST_SECRETS);
    this.#hide = secretsHidden(this.#secrets);
  }

  /** Bound, so that it can be passed as a function. */
  readonly hide = (text: string): string => this.#hide(text);
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function spellingsOf(secret: string): string[] {
  const inJson = escapedAsJson(secret);
  return [
    secret,
    ...inUrls(secret),
    inJson,
    escapedAsJson(inJson),
    ...inHtml(secret),
    ...inHtml(inJson),
    ...inBase64(secret),
  ];
}

/** The two quotes as servers write them in HTML: Node's, Python's, PHP's, Go's, and in XML. */
const QUOTES_IN_HTML = [
  ['&quot;', '&#39;'],
  ['&quot;', '&#x27;'],
  ['&quot;', '&#039;'],
  ['&#34;', '&#39;'],
  ['&quot;', '&apos;'],
] as const;

function inHtml(text: string): string[] {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return QUOTES_IN_HTML.map(([double, single]) => escaped.replaceAll('"', double).replaceAll("'", single));
}

function escapedAsJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function inUrls(secret: string): string[] {
  const encoded = encodeURIComponent(secret.toWellFormed());
  const strictly = encoded.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`.toUpperCase());
  const spellings = [encoded, strictly, strictly.replaceAll('%20', '+'), ...standingInUrls(secret)];
  return [...spellings, ...spellings.map((each) => each.replace(/%../g, (code) => code.toLowerCase()))];
}

/** The secret as `new URL` writes it in a path, a query and a login, each of which encodes other characters. */
function standingInUrls(secret: string): string[] {
  const before = ['http://h/', 'http://h/?'];
  const login = new URL('http://h');
  login.password = secret;
  const written = before.map((start) => new URL(start + secret).href.slice(start.length));
  // A shorter spelling has lost a part, such as `..`, and may occur in harmless text.
  return [...written, login.password].filter(({ length }) => length >= secret.length);
}

/**
 * If a longer text with the secret is encoded in base64, as by AUTH PLAIN (RFC 4616): the characters that depend on the secret alone.
 * Three spellings, since the secret's first byte has one of three positions in a group of three.
 */
function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((offset) => {
    const from = Math.ceil((offset * 8) / 6);
    const to = Math.floor(((offset + bytes.length) * 8) / 6);
    const signs = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(from, to);
    return [signs, signs.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
