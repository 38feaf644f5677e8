/** Foreign text made harmless where everybody needs it, and the addresses in it; a markup's own escaping stands beside its channel. */
import { cleanText } from './clean.ts';

/** A value that is already escaped for where it is printed. */
export class Escaped {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const HTML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Nothing opens an address of this length, so that what is left out of it leads nowhere else. */
const LONGEST_URL_PART = 10_000;

/** For content and quoted attributes. Never to be applied to its own result, as no escaping is. */
export function escapeHtml(text: string): string {
  const cleaned = cleanText(text);
  if (!/[&<>"']/.test(cleaned)) return cleaned;
  return cleaned.replace(/[&<>"']/g, (character) => HTML_ENTITIES[character] ?? character);
}

/** An apostrophe would end a quoted attribute; encodeURIComponent leaves it. */
export function escapeUrlPart(text: string): string {
  return encodeURIComponent(text.slice(0, LONGEST_URL_PART).toWellFormed()).replaceAll("'", '%27');
}

const LOOKS_LIKE_URL = /^https?:\/\/[^\s<>"]+$/iu;
/** Printable ASCII only: nothing in it needs cleaning. */
const PLAIN_URL = /^https?:\/\/[!#-;=?-~]+$/iu;
/** In its normal form; what is longer, some mail readers and browsers open cut short. */
export const LONGEST_ADDRESS = 2000;
/** A path that climbs leaves the folder its link was made for. */
const CLIMBS = /\/(?:\.|%2e){1,2}(?:[/?#\\]|$)/iu;

/** True for an address that can be printed as it stands but for the escaping of its markup. */
export function isUrl(text: string): boolean {
  return PLAIN_URL.test(text) && URL.canParse(text);
}

/** The address in its normal form, or undefined where the text is no http or https address as a whole, or one too long to open. */
export function wholeUrl(text: string): string | undefined {
  if (text.length > LONGEST_ADDRESS || !LOOKS_LIKE_URL.test(text)) return undefined;
  if (!text.isWellFormed() || CLIMBS.test(text) || !URL.canParse(text)) return undefined;
  const address = new URL(text).href.replaceAll('|', '%7C').replaceAll("'", '%27');
  return address.length > LONGEST_ADDRESS ? undefined : address;
}

/** A piece of a text; `address` is where it leads, in its normal form. */
interface TextPiece {
  readonly text: string;
  readonly address?: string;
}

/** RFC 3986, "Characters", but for letters that no address begins or ends with in a sentence. */
const RUN = /(?<![a-z0-9])https?:\/\/[!#-;=?-[\]_a-z~]+/giu;

/** What goes on behind such a run may belong to the address: where that ends cannot be told. So where a text was cut. */
const GOES_ON = /[\p{L}\p{N}\p{M}{}|\\^%]|\s?…/uy;

const SENTENCE_MARKS = ".,;:!?'*_";

/** The text in pieces, in order; an address that cannot be told from what surrounds it is plain text. */
export function splitAddresses(text: string): readonly TextPiece[] {
  if (!/https?:/iu.test(text)) return [{ text }];
  const whole = wholeUrl(text);
  if (whole !== undefined) return [{ text, address: whole }];
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const address = goesOn(text, index + run.length) ? undefined : addressIn(run);
    if (address === undefined) continue;
    if (index > end) pieces.push({ text: text.slice(end, index) });
    pieces.push(address);
    end = index + address.text.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

function goesOn(text: string, index: number): boolean {
  GOES_ON.lastIndex = index;
  return GOES_ON.test(text);
}

/** Without the marks that end the sentence or the bracket around it. */
function addressIn(run: string): TextPiece | undefined {
  let end = run.length;
  let unopened = run.split(')').length - run.split('(').length;
  for (; end > 0; end -= 1) {
    const last = run.charAt(end - 1);
    if (last === ')' && unopened > 0) unopened -= 1;
    else if (!SENTENCE_MARKS.includes(last) && last !== ']') break;
  }
  const text = run.slice(0, end);
  const address = wholeUrl(text);
  return address === undefined ? undefined : { text, address };
}
