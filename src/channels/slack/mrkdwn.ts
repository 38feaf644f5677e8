/** Reads mrkdwn for previews, and cuts it so that what is left is whole. */
import { graphemeCut } from '../../text/cut.ts';
import { CHARACTERS, fits, type Unit, UTF8_BYTES } from '../../text/unit.ts';

/** How each piece of mrkdwn is written; what is passed in is decoded, `inner` is already written. */
export interface MrkdwnStyle {
  text(text: string): string;
  bold(inner: string): string;
  italic(inner: string): string;
  strike(inner: string): string;
  code(code: string): string;
  fence(code: string): string;
  link(url: string, label: string): string;
  mention(label: string): string;
}

/** Slack: formatting message text: fences, code spans and `<…>` are found first, emphasis in what is left. */
const PIECES = /```(?<fence>[\s\S]+?)```|`(?<code>[^`\n]+)`|<(?<control>[^<>\n]+)>/gu;

/** Two private characters mark the place of a finished piece. */
const OPEN = '\uE000';
const CLOSE = '\uE001';
const RESERVED = /[\uE000\uE001]/gu;
const FINISHED = /\uE000(\d+)\uE001/gu;

/** A mark opens after and closes before anything that is neither letter nor digit. */
const BOLD = /(?<![\p{L}\p{N}*])\*(\S(?:[^*\n]*\S)?)\*(?![\p{L}\p{N}*])/gu;
const ITALIC = /(?<![\p{L}\p{N}_])_(\S(?:[^_\n]*\S)?)_(?![\p{L}\p{N}_])/gu;
const STRIKE = /(?<![\p{L}\p{N}~])~(\S(?:[^~\n]*\S)?)~(?![\p{L}\p{N}~])/gu;

export function writeMrkdwn(source: string, style: MrkdwnStyle): string {
  const finished: string[] = [];
  const withPlaces = source.replace(RESERVED, '').replace(PIECES, (...found) => {
    const groups = found.at(-1) as Readonly<Record<string, string | undefined>>;
    finished.push(writePiece(groups, style));
    return `${OPEN}${String(finished.length - 1)}${CLOSE}`;
  });
  return writeEmphasis(style.text(decodeEntities(withPlaces)), style).replace(
    FINISHED,
    (_, index: string) => finished[Number(index)] ?? '',
  );
}

function writeEmphasis(text: string, style: MrkdwnStyle): string {
  return text
    .replace(BOLD, (_, inner: string) => style.bold(inner))
    .replace(ITALIC, (_, inner: string) => style.italic(inner))
    .replace(STRIKE, (_, inner: string) => style.strike(inner));
}

function writePiece(groups: Readonly<Record<string, string | undefined>>, style: MrkdwnStyle): string {
  if (groups['fence'] !== undefined) return style.fence(decodeEntities(trimLineEnds(groups['fence'])));
  if (groups['code'] !== undefined) return style.code(decodeEntities(groups['code']));
  return writeControl(groups['control'] ?? '', style);
}

function trimLineEnds(code: string): string {
  return code.replace(/^\n|\n$/gu, '');
}

/** `<@U…>`, `<#C…>`, `<!here>`, `<!subteam^S…>`, `<!date^…^…|words>`, `<https://…|words>`. */
function writeControl(control: string, style: MrkdwnStyle): string {
  const bar = control.indexOf('|');
  const target = bar === -1 ? control : control.slice(0, bar);
  const label = bar === -1 ? '' : decodeEntities(control.slice(bar + 1));
  const sign = target.at(0);
  if (sign === '@' || sign === '#') return style.mention(label === '' ? target : `${sign}${label}`);
  if (target.startsWith('!date')) return style.text(label);
  if (sign === '!')
    return style.mention(label === '' ? `@${target.replace(/^!(?:subteam\^)?/u, '')}` : label);
  const url = decodeEntities(target);
  return style.link(url, label === '' ? url : label);
}

export function decodeEntities(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

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
