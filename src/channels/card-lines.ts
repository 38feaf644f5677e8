/** A card as lines of plain text, and as text in a chat's markup. */

export interface ShownTable {
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A part of a line with one style and one link. */
export interface Run {
  readonly text: string;
  readonly style?: 'bold' | 'italic' | 'code';
  /** Normalized http or https URL; '' or left out if the run is no link. */
  readonly url?: string;
}

/** Its texts may contain line breaks. */
export type CardLine =
  | { readonly runs: readonly Run[] }
  /** A value with its name. */
  | { readonly label: string; readonly runs: readonly Run[] }
  /** A list; `table` holds the same items in columns if most of their keys agree. */
  | { readonly items: readonly string[]; readonly table: ShownTable | undefined }
  /** Verbatim text, drawn as preformatted. */
  | { readonly code: string }
  /** Short texts, drawn side by side where the channel can. */
  | { readonly facts: readonly Run[] };

/** One line, or none for an empty text. */
export function words(text: string, style?: 'bold' | 'italic') {
  return text === '' ? [] : [{ runs: [{ text, ...(style !== undefined && { style }) }] }];
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
  /** If left out, tables are written as lists. */
  readonly table?: (table: ShownTable) => string;
  /** Separates two facts. */
  readonly between: string;
}

const asItIs = (text: string): string => text;

/** For channels that take plain text only. */
export const UNMARKED: Markup = {
  text: asItIs,
  bold: asItIs,
  code: asItIs,
  link: (text, url) => `${text} ${url}`.trim(),
  between: '\n',
};

export function markedUp(lines: readonly CardLine[], markup: Markup): string {
  return lines.map((line) => markedLine(line, markup)).join('\n');
}

function markedLine(line: CardLine, { text, bold, code, link, table, between }: Markup): string {
  const marked = ({ text: plain, style, url = '' }: Run) => {
    const words = style === 'bold' ? bold(text(plain)) : text(plain);
    return url === '' ? words : link(words, url);
  };
  if ('code' in line) return code(line.code);
  if ('facts' in line) return line.facts.map(marked).join(between);
  if ('items' in line)
    return line.table !== undefined && table !== undefined
      ? table(line.table)
      : line.items.map((item) => `• ${text(item.replaceAll('\n', ' '))}`).join('\n');
  const shown = line.runs.map(marked).join('');
  if (!('label' in line)) return shown;
  const gap = shown.includes('\n') ? '\n' : ' ';
  return `${bold(text(line.label))}:${shown === '' ? '' : gap + shown}`;
}
