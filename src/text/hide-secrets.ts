/** Takes secrets out of text, in every spelling in which a library or a remote may repeat them. */
import { cleanLine } from './clean.ts';

const HIDDEN = '[secret]';

/** Less of a secret's base64 than this stands in ordinary words, too. */
const SHORTEST_PIECE = 4;

/**
 * Longest first, so that a secret that holds another leaves nothing behind.
 * @param mark stands for each of them
 */
export function secretsHidden(secrets: readonly string[], mark = HIDDEN): (text: string) => string {
  const spellings = [...new Set(secrets.flatMap(spellingsOf))]
    .filter((spelling) => spelling !== '')
    .sort((a, b) => b.length - a.length);
  if (spellings.length === 0) return (text) => text;
  // One pass over the text, which nearly always holds none, costs a fifth of a search for each.
  const any = new RegExp(spellings.map(literally).join('|'));
  return (text) =>
    any.test(text) ? spellings.reduce((rest, spelling) => rest.replaceAll(spelling, mark), text) : text;
}

/** Of a process that never stops: the ones that were given last. */
const MOST_SECRETS = 1000;

/** Hides every secret that it has been given, also those of configs that are no longer in force. */
export class HiddenSecrets {
  #secrets: readonly string[] = [];
  #hide = secretsHidden([]);

  constructor(secrets: readonly string[] = []) {
    this.add(secrets);
  }

  add(secrets: readonly string[]): void {
    const all = [...new Set([...secrets, ...this.#secrets])].slice(0, MOST_SECRETS);
    if (all.length === this.#secrets.length && secrets.every((secret) => this.#secrets.includes(secret)))
      return;
    this.#secrets = all;
    this.#hide = secretsHidden(all);
  }

  /** Bound, to be handed on as it is. */
  readonly hide = (text: string): string => this.#hide(text);
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function spellingsOf(secret: string): string[] {
  const plain = [secret, cleanLine(secret)];
  return [
    ...plain,
    ...inUrls(secret),
    ...inJson(secret),
    inHtml(secret),
    inQuotedPrintable(secret),
    ...inBase64(secret),
  ];
}

function inUrls(secret: string): string[] {
  const encoded = encodeURIComponent(secret.toWellFormed());
  const strictly = encoded.replace(/[!'()*]/g, (sign) => percentEncoded(sign.charCodeAt(0)));
  const spellings = [encoded, strictly, strictly.replaceAll('%20', '+')];
  return [...spellings, ...spellings.map((each) => each.replace(/%../g, (code) => code.toLowerCase()))];
}

function percentEncoded(byte: number): string {
  return `%${hexOf(byte, 2)}`;
}

/** Some write `/` with a backslash, some all that is not ASCII by its code. */
function inJson(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const ascii = json.replace(/[^ -~]/g, (unit) => `\\u${hexOf(unit.charCodeAt(0), 4).toLowerCase()}`);
  return [json, ascii, json.replaceAll('/', '\\/')];
}

function inHtml(secret: string): string {
  return secret
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** RFC 2045, 6.7, without line breaks. */
function inQuotedPrintable(secret: string): string {
  const signs = Array.from(Buffer.from(secret), (byte) => {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x3d;
    return isPlain ? String.fromCharCode(byte) : `=${hexOf(byte, 2)}`;
  });
  return signs.join('');
}

function hexOf(code: number, digits: number): string {
  return code.toString(16).toUpperCase().padStart(digits, '0');
}

/**
 * The signs that a secret alone decides where it stands somewhere in what was encoded, such as AUTH PLAIN's user and
 * password (RFC 4616): its bytes begin at one of three places in the groups of four signs.
 */
function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((offset) => {
    const from = Math.ceil((offset * 8) / 6);
    const to = Math.floor(((offset + bytes.length) * 8) / 6);
    const signs = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(from, to);
    const urlSafe = signs.replaceAll('+', '-').replaceAll('/', '_');
    return signs.length < SHORTEST_PIECE ? [] : [signs, urlSafe];
  });
}
