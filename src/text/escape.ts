/** Foreign text made harmless where everybody needs it; each markup's own escaping stands beside the channel that speaks it. */
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
