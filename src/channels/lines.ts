/** A card as lines of plain text, and as text in a chat's markup. */
import { wholeUrl } from '../text/clean.ts';

/** A part of a line with one style and one link. */
export interface Run {
  readonly text: string;
  readonly style?: 'bold' | 'italic' | 'code' | 'strike' | 'mention' | undefined;
  /** Normalized http or https URL; '' or left out if the run is no link. */
  readonly url?: string;
}

export type Runs = readonly Run[];

export interface ShownTable {
  readonly names: readonly string[];
  /** Each cell's runs. */
  readonly rows: readonly (readonly Runs[])[];
}

/** Its texts may contain line breaks. */
export type CardLine =
  | { readonly runs: Runs }
  /** A value with its name. */
  | { readonly label: string; readonly runs: Runs }
  /** A list; `table` holds the same items in columns if most of their keys agree. */
  | { readonly items: readonly Runs[]; readonly table?: ShownTable | undefined }
  /** Verbatim text, drawn as preformatted. */
  | { readonly code: string }
  /** Short texts, drawn side by side where the channel can. */
  | { readonly facts: Runs };

/** The one place where the text of a value becomes runs: an address and nothing else becomes a link. @param text cleaned and cut */
export function runsOfValue(text: string): Runs {
  const url = wholeUrl(text);
  return [url === undefined ? { text } : { text, url }];
}

/** The one place where a value and its name become lines. @param text cleaned and cut */
export function linesOfValue(label: string, text: string): readonly CardLine[] {
  return [{ label, runs: runsOfValue(text) }];
}

/** One line, or none for an empty text. */
export function words(text: string, style?: Run['style']): readonly { readonly runs: Runs }[] {
  return text === '' ? [] : [{ runs: [style === undefined ? { text } : { text, style }] }];
}

export function plainText(runs: Runs): string {
  return runs.map(({ text }) => text).join('');
}

/** The lines without their last run or item; undefined if there is none. */
export function withoutLast(lines: readonly CardLine[]): readonly CardLine[] | undefined {
  const last = lines.at(-1);
  if (last === undefined) return undefined;
  const rest = lines.slice(0, -1);
  if (!('facts' in last) || last.facts.length <= 1) return rest;
  return [...rest, { facts: last.facts.slice(0, -1) }];
}

/** For chats that collapse blanks: the text with its indentation in no-break spaces. */
export function indented(text: string): string {
  return text.replace(/^[ \t]+/gmu, (blanks) => '\u00a0'.repeat(blanks.length));
}

/** Functions that write a chat's markup. */
export interface Markup {
  /** Escapes the text: no markup, mention or link in it takes effect. */
  readonly text: (plain: string) => string;
  /** @param text already marked up */
  readonly bold: (text: string) => string;
  readonly code: (plain: string) => string;
  /** @param text already marked up */
  readonly link: (text: string, url: string) => string;
  /** If left out, tables are written as lists. @param rows of cells that are already marked up; the first holds the names */
  readonly table?: (rows: readonly (readonly string[])[]) => string;
  /** Separates two facts. */
  readonly between: string;
}

const asItIs = (text: string): string => text;

/** For channels that take plain text only. */
export const UNMARKED: Markup = {
  text: asItIs,
  bold: asItIs,
  code: asItIs,
  link: (text, url) => (text === url ? url : `${text} ${url}`.trim()),
  between: '\n',
};

export function markedUp(lines: readonly CardLine[], markup: Markup): string {
  return lines.map((line) => markedLine(line, markup)).join('\n');
}

function markedLine(line: CardLine, markup: Markup): string {
  const { text, bold, code, table, between } = markup;
  const marked = (runs: Runs) => runs.map((run) => markedRun(run, markup));
  const onOneLine = (runs: Runs) => marked(runs).join('').replaceAll('\n', ' ');
  if ('code' in line) return code(line.code);
  if ('facts' in line) return marked(line.facts).join(between);
  if ('items' in line) {
    if (line.table === undefined || table === undefined)
      return line.items.map((item) => `• ${onOneLine(item)}`).join('\n');
    return table([line.table.names.map(text), ...line.table.rows.map((row) => row.map(onOneLine))]);
  }
  const shown = marked(line.runs).join('');
  if (!('label' in line)) return shown;
  const gap = shown.includes('\n') ? '\n' : ' ';
  return `${bold(text(line.label))}:${shown === '' ? '' : gap + shown}`;
}

function markedRun({ text, style, url = '' }: Run, markup: Markup): string {
  const words = style === 'bold' ? markup.bold(markup.text(text)) : markup.text(text);
  return url === '' ? words : markup.link(words, url);
}
