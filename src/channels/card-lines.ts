/** A card as lines in plain text, and how a chat marks them up. */

export interface ShownTable {
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A piece of a line. */
export interface Run {
  readonly text: string;
  readonly style?: 'bold' | 'italic' | 'code';
  /** http or https, in its normal form; '' or left out where it leads nowhere. */
  readonly url?: string;
}

/** Texts may have several lines. */
export type CardLine =
  | { readonly runs: readonly Run[] }
  /** A value under its name. */
  | { readonly label: string; readonly runs: readonly Run[] }
  /** A list, and the same as a table where the items are alike. */
  | { readonly items: readonly string[]; readonly table: ShownTable | undefined }
  /** Every character counts. */
  | { readonly code: string }
  /** One beside the other, where there is room. */
  | { readonly facts: readonly Run[] };

/** None where there is nothing to say. */
export function words(text: string, style?: 'bold' | 'italic') {
  return text === '' ? [] : [{ runs: [{ text, ...(style !== undefined && { style }) }] }];
}

/** How a chat marks up a plain text. */
export interface Markup {
  /** Shown as it is: nothing of it acts. */
  readonly text: (plain: string) => string;
  /** @param text marked up */
  readonly bold: (text: string) => string;
  readonly code: (plain: string) => string;
  /** @param text marked up */
  readonly link: (text: string, url: string) => string;
  /** Left out: as a list. */
  readonly table?: (table: ShownTable) => string;
  /** Between two facts. */
  readonly between: string;
}

const asItIs = (text: string): string => text;

/** Where no markup is known. */
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
