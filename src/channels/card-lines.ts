/** A card as lines, part by part and in plain text: what each chat marks up in its own way. */
import type { Fact } from './card.ts';
import { countMark, emptyMark } from './marks.ts';
import type { ShownOutput, ShownTable } from './outputs.ts';
import type { ShownCard } from './show-card.ts';

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

/** In the order of a message. */
export const CARD_PARTS = ['title', 'text', 'message', 'outputs', 'link', 'facts'] as const;

export type CardPart = (typeof CARD_PARTS)[number];

const LINES: Readonly<Record<CardPart, (shown: ShownCard) => readonly CardLine[]>> = {
  title: ({ title }) => words(title, 'bold'),
  text: ({ text }) => words(text),
  message: ({ message, isVerbatim }) => (isVerbatim ? [{ code: message }] : words(message)),
  outputs: (shown) => [
    ...shown.outputs.flatMap((output) => linesOfOutput(output, shown)),
    ...words(shown.moreOutputs, 'italic'),
  ],
  link: ({ link }) => (link === undefined ? [] : [{ runs: [link] }]),
  facts: ({ facts, footer }) => {
    const runs = [...facts.map(runOfFact), ...words(footer, 'italic').flatMap((line) => line.runs)];
    return runs.length === 0 ? [] : [{ facts: runs }];
  },
};

export function linesOfCard(shown: ShownCard, parts: readonly CardPart[]): readonly CardLine[] {
  return parts.flatMap((part) => LINES[part](shown));
}

/** None where there is nothing to say. */
function words(text: string, style?: 'bold' | 'italic') {
  return text === '' ? [] : [{ runs: [{ text, ...(style !== undefined && { style }) }] }];
}

function linesOfOutput(output: ShownOutput, { language }: ShownCard): readonly CardLine[] {
  const { name, count, lines: items, table, more, files, moreFiles } = output;
  const label = `${name || '–'}${count === undefined ? '' : countMark(language, count)}`;
  return [
    { label, runs: valueOf(output, emptyMark(language)) },
    ...(items.length === 0 ? [] : [{ items, table }]),
    ...words(more),
    ...files.map((file) => ({
      runs: [
        { text: '📎 ' },
        { text: file.size === '' ? file.name : `${file.name} (${file.size})`, url: file.url },
      ],
    })),
    ...words(moreFiles),
  ];
}

function valueOf({ text, isCode, count, files }: ShownOutput, empty: string): readonly Run[] {
  if (text !== '') return [{ text, ...(isCode && { style: 'code' }) }];
  return count !== undefined || files.length > 0 ? [] : [{ text: empty, style: 'italic' }];
}

function runOfFact({ name, value, url }: Fact): Run {
  return { text: `${name} ${value}`.trim(), url };
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
  const marked = ({ text: plain, url = '' }: Run) => (url === '' ? text(plain) : link(text(plain), url));
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
