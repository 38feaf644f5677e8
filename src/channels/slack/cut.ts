/** Cuts text of Slack's markups so that what is left is whole. */
import { graphemeCut } from '../../text/cut.ts';
import { CHARACTERS, fits, type Unit, UTF8_BYTES } from '../../text/unit.ts';

/**
 * As `cutEnd` for escaped mrkdwn: cuts inside no entity and no `<…>`, and closes the ``` fence or `span` it cut open.
 */
export function cutMarkup(text: string, limit: number, mark: string): string {
  return cutMarkupIn(CHARACTERS, text, limit, mark);
}

/** {@link cutMarkup} counting UTF-8 bytes. */
export function cutMarkupBytes(text: string, limitBytes: number, mark: string): string {
  return cutMarkupIn(UTF8_BYTES, text, limitBytes, mark);
}

function cutMarkupIn(unit: Unit, text: string, limit: number, mark: string): string {
  if (fits(unit, text, limit)) return text;
  const room = limit - unit.sizeOf(mark);
  if (room <= 0 && mark !== '') return cutMarkupIn(unit, text, limit, '');
  let reserved = 0;
  for (;;) {
    const kept = wholeMarkup(text, unit.indexWithin(text, room - reserved));
    const closer = closerOf(kept, text);
    if (closer.length <= reserved) return kept + closer + mark;
    reserved = closer.length;
  }
}

/** The longest prefix up to `limit` that ends between graphemes and in the middle of no markup. */
function wholeMarkup(text: string, limit: number): string {
  let kept = graphemeCut(text, limit);
  for (;;) {
    const end = endBeforeMarkup(text, kept.length);
    if (end === kept.length) return kept;
    kept = graphemeCut(text, end);
  }
}

const ENTITY = /&(?:amp|lt|gt);/y;
const CONTROL = /<[^<>]*>/y;

/** `end` itself, or the beginning of the entity, `<…>` or run of backticks that it would split. */
function endBeforeMarkup(text: string, end: number): number {
  const ampersand = text.lastIndexOf('&', end - 1);
  if (splits(ENTITY, text, ampersand, end)) return ampersand;
  const bracket = text.lastIndexOf('<', end - 1);
  if (splits(CONTROL, text, bracket, end)) return bracket;
  let backtick = end;
  if (text[end] === '`') while (text[backtick - 1] === '`') backtick -= 1;
  return backtick;
}

function splits(markup: RegExp, text: string, start: number, end: number): boolean {
  if (start < 0 || end === 0) return false;
  markup.lastIndex = start;
  return markup.test(text) && markup.lastIndex > end;
}

/** What closes the code that `kept`, the beginning of `text`, leaves open; empty where the text never closed it itself. */
function closerOf(kept: string, text: string): string {
  let open = '';
  for (const [token] of kept.matchAll(/```|[`\n]/g)) {
    if (open === '' && token !== '\n') open = token;
    else if (token === open || (token === '\n' && open === '`')) open = '';
  }
  if (open === '') return '';
  const rest = text.slice(kept.length);
  return open === '`' ? (/^[^\n]*`/.test(rest) ? open : '') : rest.includes(open) ? open : '';
}
