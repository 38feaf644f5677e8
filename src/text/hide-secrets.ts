/** Takes secrets out of text, in every spelling in which a library or a remote may repeat them. */

const HIDDEN = '[secret]';

/** What is shorter, such as a port or a number, stands in other texts, too, and would tear them. */
const SHORTEST_SECRET = 8;

export function isLongEnough(secret: string): boolean {
  return secret.length >= SHORTEST_SECRET;
}

/**
 * Longest first, so that a secret that holds another leaves nothing behind.
 * @param secrets shorter ones than eight characters are none
 * @param mark stands for each of them
 */
export function secretsHidden(secrets: readonly string[], mark = HIDDEN): (text: string) => string {
  const spellings = [...new Set(secrets.filter(isLongEnough).flatMap(spellingsOf))];
  if (spellings.length === 0) return (text) => text;
  spellings.sort((a, b) => b.length - a.length);
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
    this.#secrets = [...new Set([...secrets, ...this.#secrets])].slice(0, MOST_SECRETS);
    this.#hide = secretsHidden(this.#secrets);
  }

  /** Bound, to be handed on as it is. */
  readonly hide = (text: string): string => this.#hide(text);
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function spellingsOf(secret: string): string[] {
  return [secret, ...inUrls(secret), JSON.stringify(secret).slice(1, -1), ...inBase64(secret)];
}

function inUrls(secret: string): string[] {
  const encoded = encodeURIComponent(secret.toWellFormed());
  const strictly = encoded.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`.toUpperCase());
  const spellings = [encoded, strictly, strictly.replaceAll('%20', '+')];
  return [...spellings, ...spellings.map((each) => each.replace(/%../g, (code) => code.toLowerCase()))];
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
    return [signs, signs.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
