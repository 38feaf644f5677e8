/** A card as lines of plain text, and as text in a chat's markup. */
import { piecesOf } from '../text/addresses.ts';
import { wholeUrl } from '../text/clean.ts';
import type { Fact } from './card.ts';

export interface StyledText {
  readonly text: string;
  /** `word`: a chat whose escape characters would be copied along draws it as code if it needs one. */
  readonly style?: 'bold' | 'italic' | 'code' | 'word' | 'strike' | 'mention' | undefined;
  /** Normalized http or https URL; '' or left out if the run is no link. */
  readonly url?: string;
}

export type Runs = readonly StyledText[];

export interface ShownTable {
  readonly names: readonly string[];
  readonly rows: readonly (readonly Runs[])[];
}

/** Its texts may contain line breaks. */
export type CardLine =
  | { readonly runs: Runs }
  | { readonly label: string; readonly runs: Runs }
  /** A list; `table` holds the same items in columns if most of their keys agree. */
  | { readonly items: readonly Runs[]; readonly table?: ShownTable | undefined }
  /** Verbatim text, drawn as preformatted. */
  | { readonly code: string }
  /** Short texts, drawn side by side where the channel can. */
  | { readonly facts: readonly Runs[] };

/** The one place where foreign text becomes runs; addresses in it become links. @param text cleaned and cut @param style of all but the links */
export function runsOfText(text: string, style?: StyledText['style']): Runs {
  return piecesOf(text).map(({ text: piece, url }) => ({
    text: piece,
    url,
    style: url === '' ? style : 'word',
  }));
}

const LONGEST_WORD = 200;
const SIGN = /[^\p{L}\p{N}]/u;

/** Like `runsOfText`, for a value: of one word with signs, such as an ID, each sign counts. @param url the whole value links there; '': no link */
export function runsOfValue(text: string, url = ''): Runs {
  const isWord = text.length <= LONGEST_WORD && !/\s/.test(text) && SIGN.test(text);
  const style = isWord ? 'word' : undefined;
  return url === '' ? runsOfText(text, style) : [{ text, url, style }];
}

export function runsOfFact({ name, value, url }: Fact): Runs {
  const runs = runsOfValue(value, url);
  return name === '' ? runs : [{ text: `${name} ` }, ...runs];
}

/** One line, or none for an empty text. @param url the whole line links there; '': no link */
export function words(
  text: string,
  style?: StyledText['style'],
  url = '',
): readonly { readonly runs: Runs }[] {
  return text === '' ? [] : [{ runs: [{ text, style, url }] }];
}

export function plainText(runs: Runs): string {
  return runs.map(({ text }) => text).join('');
}

/** In characters, including the addresses behind links. */
export function sizeOf(runs: Runs): number {
  return runs.reduce((sum, { text, url = '' }) => sum + text.length + (url === text ? 0 : url.length), 0);
}

export function sizeOfRow(row: readonly Runs[]): number {
  return row.length + sizeOf(row.flat());
}

export function lengthOf(line: CardLine): number {
  if ('code' in line) return line.code.length;
  if ('facts' in line) return sizeOf(line.facts.flat());
  if ('items' in line)
    return line.table?.rows.reduce((total, row) => total + sizeOfRow(row), 0) ?? sizeOf(line.items.flat());
  return sizeOf(line.runs) + ('label' in line ? line.label.length : 0);
}

const TAB = '    ';

/** For programs that collapse blanks: indentation and columns become no-break spaces, with one plain blank in each gap to wrap at. */
export function withBlanks(text: string): string {
  if (!/\t|\n | {2}/u.test(text)) return text;
  return text
    .replaceAll('\t', TAB)
    .replace(/(?<=\n) +/gu, (blanks) => '\u00a0'.repeat(blanks.length))
    .replace(/ {2,}/gu, (blanks) => `${'\u00a0'.repeat(blanks.length - 1)} `);
}

export interface Markup {
  /** Escapes the text: no markup, mention or link in it takes effect. */
  readonly text: (plain: string) => string;
  /** @param text already marked up */
  readonly bold: (text: string) => string;
  /** Other styles, of text already marked up; if left out, such text is like any other. */
  readonly styles?: Partial<Record<NonNullable<StyledText['style']>, (text: string) => string>>;
  readonly code: (plain: string) => string;
  /** Code within a line; undefined if the text cannot be code. Left out if the chat has none, or does not copy its escapes along. */
  readonly inlineCode?: (plain: string) => string | undefined;
  /** @param text already marked up */
  readonly link: (text: string, url: string) => string;
  /** A clickable address; left out if the chat writes it like any other link. */
  readonly address?: (address: string) => string;
  /** If left out, tables are written as lists. @param rows of cells that are already marked up; the first holds the names */
  readonly table?: (rows: readonly (readonly string[])[]) => string;
  readonly between: string;
}

const same = (text: string): string => text;

/** For channels that take plain text only. @param text escapes a text, so that nothing in it takes effect */
export function unmarked(text: Markup['text'], address = same): Markup {
  const link: Markup['link'] = (words, url) => `${words} ${address(url)}`.trim();
  return { text, bold: same, code: text, link, address, between: '\n' };
}

export const UNMARKED: Markup = unmarked(same);

export function markedUp(lines: readonly CardLine[], markup: Markup): string {
  return lines.map((line) => markedLine(line, markup)).join('\n');
}

export function markedFacts(facts: readonly Runs[], markup: Markup): string {
  return facts.map((runs) => marked(runs, markup)).join(markup.between);
}

function marked(runs: Runs, markup: Markup): string {
  return runs.reduce((before, run) => before + markedRun(run, markup), '');
}

function markedLine(line: CardLine, markup: Markup): string {
  const { bold, text, code } = markup;
  if ('code' in line) return code(line.code);
  if ('facts' in line) return markedFacts(line.facts, markup);
  if ('items' in line) return markedItems(line, markup);
  const shown = marked(line.runs, markup);
  if (!('label' in line)) return shown;
  const gap = shown.includes('\n') ? '\n' : ' ';
  return `${bold(text(line.label))}:${shown === '' ? '' : gap + shown}`;
}

function markedItems({ items, table }: Extract<CardLine, { items: unknown }>, markup: Markup): string {
  const onOneLine = (runs: Runs) => marked(runs, markup).replaceAll('\n', ' ');
  if (table === undefined || markup.table === undefined)
    return items.map((item) => `• ${onOneLine(item)}`).join('\n');
  return markup.table([table.names.map(markup.text), ...table.rows.map((row) => row.map(onOneLine))]);
}

function markedRun(run: StyledText, markup: Markup): string {
  const { text, url = '', style } = run;
  if (url === '' && style === undefined) return markup.text(text);
  const showsItsAddress = url !== '' && (text === url || wholeUrl(text) === url);
  if (showsItsAddress && markup.address !== undefined) return markup.address(text);
  const words = styled(run, markup);
  return url === '' ? words : markup.link(words, url);
}

function styled({ text, style }: StyledText, { text: escape, bold, styles, inlineCode }: Markup): string {
  const escaped = escape(text);
  const isCode = style === 'code' || (style === 'word' && escaped !== text);
  const write = style === 'bold' ? bold : style && styles?.[style];
  return (isCode ? inlineCode?.(text) : undefined) ?? write?.(escaped) ?? escaped;
}
