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
 * An address in prose: letters of any language, and only such punctuation as addresses have. It ends before hiragana that follow
 * ASCII, since particles follow an address without a blank, and before the next address of a list. A middle dot within a name belongs to it.
 */
const ADDRESS =
  /(?<![a-z0-9+.-])https?:\/\/(?:(?![,;]https?:\/\/|(?<=[!-~])\p{Script=Hiragana})(?:[!#-;=?-[\]_a-z{}~\p{L}\p{M}\p{N}]|(?<=[\p{Script=Han}\p{Script=Katakana}ー])・(?=[\p{Script=Han}\p{Script=Katakana}])))+/giu;

/** Signs at the end that are the prose's, not the address's; closing brackets only if the address does not open them. */
const PUNCTUATION = ".,;:!?'*";
const BRACKETS = ['()', '[]', '{}'] as const;

/** An ASCII address up to the letter or digit before Japanese prose. If ASCII follows these letters, they are part of a name: `2026年.pdf`. */
const PROSE_BEHIND =
  /^([!-~]*[a-z0-9])[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}ー]+(?![!-~\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}ー])/iu;

/** The whole text in pieces. Those with a `url` are http and https addresses that open exactly what they show. */
export function piecesOf(text: string): readonly Piece[] {
  if (!text.includes('://')) return [{ text, url: '' }];
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = withoutProse(found);
    const url = exactUrl(address);
    if (url === undefined) continue;
    if (index > end) pieces.push({ text: text.slice(end, index), url: '' });
    pieces.push({ text: address, url });
    end = index + address.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), url: '' });
  return pieces;
}

/** The address with which the text begins; '' if it begins with none. */
export function addressAtStart(text: string): string {
  const { 0: found = '', index } = text.matchAll(ADDRESS).next().value ?? {};
  const address = withoutProse(found);
  return index === 0 && exactUrl(address) !== undefined ? address : '';
}

function withoutProse(found: string): string {
  return withoutPunctuation(PROSE_BEHIND.exec(found)?.[1] ?? found);
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

/** Undefined for an address with a user, and for one whose host is not written as it is shown once the page is open. */
function exactUrl(address: string): string | undefined {
  const url = wholeUrl(address);
  if (url === undefined) return undefined;
  const { hostname } = new URL(url);
  const [, host] = /^https?:\/\/([^/?#]*?)(?::\d*)?(?:[/?#]|$)/u.exec(address.toLowerCase()) ?? [];
  return host === hostname || host === domainToUnicode(hostname) ? url : undefined;
}
