/** Where the http and https addresses in a text are: whole ones, as they are written there. */
import { wholeUrl } from './whole-url.ts';

/** A piece of a text; `address` is where it leads, in its normal form. */
export interface TextPiece {
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
