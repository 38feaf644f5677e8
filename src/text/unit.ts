/** What a limit counts: UTF-16 code units or UTF-8 bytes. */

export interface Unit {
  /** The most that a UTF-16 code unit takes; the least is one. */
  readonly most: number;
  sizeOf(text: string): number;
  /** The largest index at a code point up to which the text is no larger than `size`. */
  indexWithin(text: string, size: number): number;
  /** The smallest index at a code point from which the text is no larger than `size`. */
  indexFromEnd(text: string, size: number): number;
}

/** What `.length` counts. */
export const CHARACTERS: Unit = {
  most: 1,
  sizeOf: (text) => text.length,
  indexWithin: codePointAtOrBefore,
  indexFromEnd: (text, size) => codePointAtOrAfter(text, text.length - size),
};

const encoder = new TextEncoder();

export const UTF8_BYTES: Unit = {
  most: 3,
  sizeOf: (text) => Buffer.byteLength(text),
  indexWithin: (text, size) => {
    if (size <= 0) return 0;
    // A code unit takes at least one byte, so nothing past `size` units can fit.
    const mayFit = text.slice(0, codePointAtOrBefore(text, size));
    return encoder.encodeInto(mayFit, new Uint8Array(size)).read;
  },
  indexFromEnd: (text, size) => {
    if (size <= 0) return text.length;
    const mayFit = text.slice(codePointAtOrAfter(text, text.length - size));
    const bytes = Buffer.from(mayFit);
    let start = Math.max(0, bytes.length - size);
    while (isInsideCodePoint(bytes[start])) start += 1;
    return text.length - bytes.subarray(start).toString().length;
  },
};

/** Most texts are so short, and some so long, that they need not be measured. */
export function fits(unit: Unit, text: string, limit: number): boolean {
  if (text.length * unit.most <= limit) return true;
  return text.length <= limit && unit.sizeOf(text) <= limit;
}

export function codePointAtOrBefore(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  const splitsPair = isLowSurrogate(text.charCodeAt(index)) && isHighSurrogate(text.charCodeAt(index - 1));
  return splitsPair ? index - 1 : index;
}

function codePointAtOrAfter(text: string, index: number): number {
  const before = codePointAtOrBefore(text, index);
  return before < Math.min(index, text.length) ? before + 2 : before;
}

/** UTF-8, "continuation bytes". */
function isInsideCodePoint(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

export function countCodePoints(text: string, from: number, to: number): number {
  let count = 0;
  for (let index = from; index < to; index += 1) {
    if (!isLowSurrogate(text.charCodeAt(index))) count += 1;
  }
  return count;
}

function isHighSurrogate(codeUnit: number): boolean {
  return codeUnit >= 0xd800 && codeUnit <= 0xdbff;
}

function isLowSurrogate(codeUnit: number): boolean {
  return codeUnit >= 0xdc00 && codeUnit <= 0xdfff;
}
