/** Addresses that a template prints whole. */

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
