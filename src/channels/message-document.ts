/** A message as an HTML document for an iframe without scripts, so that its styles and markup cannot affect the page. */
import type { MessageFormat } from './channel.ts';
import { textAsHtml } from './html-text.ts';

/** Otherwise links would open inside the iframe. */
const LINKS_OPEN_APART = '<base target="_blank">';

/** As the reader's system is. */
export const LIGHT_OR_DARK = '<meta name="color-scheme" content="light dark">';

export interface ComposedMessage {
  readonly format: MessageFormat;
  /** What the format composed. */
  readonly message: unknown;
}

export function messageDocument({ format, message }: ComposedMessage): string {
  const content = format.asHtml?.(message) ?? textAsHtml(format.asText(message));
  const isDocument = /^\s*<(!doctype|html)/i.test(content);
  if (isDocument) return content.replace(/<head(\s[^<>]*)?>/i, (head) => `${head}${LINKS_OPEN_APART}`);
  return `<!doctype html><meta charset="utf-8">${LIGHT_OR_DARK}${LINKS_OPEN_APART}${content}`;
}

const LINE_WIDTH = 60;
const LINE_PX = 22;
const MARGINS_PX = 72;
const HIGHEST_PX = 800;

/** An estimate, since an iframe without scripts cannot fit itself to its content; the reader can resize it. */
export function frameHeightOf({ format, message }: ComposedMessage): number {
  let lines = 0;
  for (const line of format.asText(message).split('\n')) lines += 1 + Math.floor(line.length / LINE_WIDTH);
  return Math.min(HIGHEST_PX, MARGINS_PX + lines * LINE_PX);
}
