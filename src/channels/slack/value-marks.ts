/**
 * Marks in a text whose markup is still to be read: what stands between them is a value, and is taken as it is.
 * They are noncharacters, which cleaning takes out of every value, so that no value can hold one.
 */

import { splitAddresses } from '../../text/addresses.ts';
import { cleanText } from '../../text/clean.ts';

export const VALUE_START = '\ufdd0';
export const VALUE_END = '\ufdd1';
/** A link: its address, then its words, which may hold values; without words it shows its address. */
export const LINK_START = '\ufdd2';
export const LINK_WORDS = '\ufdd3';
export const LINK_END = '\ufdd4';

const MARKS = /\ufdd2[^\ufdd2\ufdd3]*\ufdd3|[\ufdd0-\ufdd4]/gu;
const LINK_WITHOUT_WORDS = /\ufdd2([^\ufdd2\ufdd3]*)\ufdd3\ufdd4/gu;

/** @param text cleaned */
export function markValue(text: string): string {
  return text === '' ? '' : VALUE_START + text + VALUE_END;
}

/** @param words marked where they are values; '' shows the address */
export function markLink(address: string, words: string): string {
  return LINK_START + address + LINK_WORDS + words + LINK_END;
}

/** A foreign text as a value in which each address is a link that shows it. */
export function markAddresses(text: string): string {
  const cleaned = cleanText(text);
  if (!cleaned.includes('://')) return markValue(cleaned);
  return splitAddresses(cleaned)
    .map((piece) => {
      if (piece.address === undefined) return markValue(piece.text);
      return markLink(piece.address, piece.address === piece.text ? '' : markValue(piece.text));
    })
    .join('');
}

/** What a reader would see of a marked text. */
export function withoutMarks(text: string): string {
  if (!text.includes(VALUE_END) && !text.includes(LINK_START)) return text;
  return text.replace(LINK_WITHOUT_WORDS, '$1').replace(MARKS, '');
}
