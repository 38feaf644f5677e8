/** Where in a template's own markup a value stands: what is harmless in text is not inside a tag. */

/** `nowhere`: no escaping makes a value harmless there. */
export type ValuePosition = 'content' | 'address' | 'part of an address' | 'nowhere';

/** Stands for a value, and so for something. */
const VALUE = '\u0001';

const LIQUID = /\{\{.*?\}\}|\{%.*?%\}/gs;

const SCHEME = /^(?:https?:\/\/|mailto:|tel:)/i;

/** @param begun what the template has of the address before the value */
export function positionInAddress(begun: string): ValuePosition {
  if (begun.trim() === '') return 'address';
  return SCHEME.test(begun) ? 'part of an address' : 'nowhere';
}

/** The template's own markup, a `\u0001` in the place of each value. */
export function withoutLiquid(source: string): string {
  return source.replace(LIQUID, (tag) => (tag.startsWith('{{') ? VALUE : ''));
}
