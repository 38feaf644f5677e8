/** Finds the web addresses in a text. */
import { domainToUnicode } from 'node:url';
import { wholeUrl } from './clean.ts';

/** A piece of a text. */
export interface Piece {
  readonly text: string;
  /** The address that the piece is, in its normal form; '' if it is none. */
  readonly url: string;
}

/**
 * An address in prose: letters of any language, and of punctuation only what stands in addresses. It ends before hiragana that
 * follow ASCII, since particles follow an address without a blank, and before the next address of a list.
 */
const ADDRESS =
  /(?<![a-z0-9+.-])https?:\/\/(?:(?![,;]https?:\/\/|(?<=[!-~])\p{Script=Hiragana})[!#-;=?-[\]_a-z{}~\p{L}\p{M}\p{N}])+/giu;

/** What follows an address in prose and is none of it; of brackets, those that it does not open itself. */
const PUNCTUATION = ".,;:!?'*";
const BRACKETS = ['()', '[]', '{}'] as const;

/** An address in ASCII up to a letter or digit that prose in Japanese follows; a name with such letters goes on behind them: `2026年.pdf`. */
const PROSE_BEHIND =
  /^([!-~]*[a-z0-9])[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}ー]+(?![!-~\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}ー])/iu;

/** All of the text in pieces, of which those with a `url` are the http and https addresses that open exactly what they show. */
export function piecesOf(text: string): readonly Piece[] {
  if (!text.includes('://')) return [{ text, url: '' }];
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = withoutPunctuation(PROSE_BEHIND.exec(found)?.[1] ?? found);
    const url = exactUrl(address);
    if (url === undefined) continue;
    if (index > end) pieces.push({ text: text.slice(end, index), url: '' });
    pieces.push({ text: address, url });
    end = index + address.length;
  }
  if (end < text.length || pieces.length === 0) pieces.push({ text: text.slice(end), url: '' });
  return pieces;
}

function withoutPunctuation(address: string): string {
  const count = (sign: string) => address.split(sign).length;
  const unopened = new Map<string, number>(
    BRACKETS.map(([opening = '', closing = '']) => [closing, count(closing) - count(opening)]),
  );
  let end = address.length;
  for (; end > 0; end -= 1) {
    const last = address.charAt(end - 1);
    const surplus = unopened.get(last) ?? 0;
    if (surplus <= 0 && !PUNCTUATION.includes(last)) break;
    unopened.set(last, surplus - 1);
  }
  return address.slice(0, end);
}

/** Undefined for an address with a user, and for one whose host is written in another way than it is shown once it is open. */
function exactUrl(address: string): string | undefined {
  const url = wholeUrl(address);
  if (url === undefined) return undefined;
  const { hostname } = new URL(url);
  const [, host] = /^https?:\/\/([^/?#]*?)(?::\d*)?(?:[/?#]|$)/u.exec(address.toLowerCase()) ?? [];
  return host === hostname || host === domainToUnicode(hostname) ? url : undefined;
}
