/** Draws an Adaptive Card 1.4 (adaptivecards.io/explorer). Foreign text is in text runs, which know no Markdown and no mentions. */
import type { Tone } from '../card.ts';
import { type Drawn, drawnFormat, jsonBytes } from '../chat/draw.ts';
import { type CardLine, type StyledText, type Runs, runsOfText, UNMARKED, withBlanks } from '../lines.ts';
import { mentionsOf } from '../mention-option.ts';

interface Look {
  readonly weight?: 'Bolder';
  readonly size?: 'Large';
  readonly isSubtle?: true;
  readonly fontType?: 'Monospace';
  readonly selectAction?: ReturnType<typeof openUrl>;
}

type TextRun = ReturnType<typeof run>;
type Line = ReturnType<typeof lineOf>;
type Element = Line | ReturnType<typeof boxOf> | { readonly type: 'TextBlock'; readonly text: string };

export type TeamsMessage = ReturnType<typeof messageOf>;

function openUrl(title: string, url: string) {
  return { type: 'Action.OpenUrl', title, url };
}

/** Clients replace these functions by a date even in a run, so a zero-width space breaks them up. */
const FUNCTION = /\{(?=\{(?:DATE|TIME)\()/g;

function broken(text: string): string {
  return text.replace(FUNCTION, '{\u200b');
}

function run(text: string, look: Look = {}) {
  return { ...look, type: 'TextRun', text: broken(text) };
}

function lineOf(inlines: readonly TextRun[]) {
  return { type: 'RichTextBlock', inlines };
}

function boxOf(style: string, items: readonly Line[]) {
  return { type: 'Container', style, bleed: style !== 'emphasis', items };
}

/** Teams takes about 28 KB, everything included (learn.microsoft.com/connectors/teams); the workflow's additions count. */
const MAX_BYTES = 24_000;

const STYLES: Readonly<Record<Tone, string>> = {
  succeeded: 'good',
  error: 'attention',
  executing: 'accent',
  alert: 'warning',
  test: 'default',
};

/** A user principal name, or the ID of a user in Entra. */
const USER = /^(?:[^\s<>"@]+@[^\s<>"@]+\.[^\s<>"@]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

const teamsMentions = mentionsOf(
  'the sign-in name of a user (user@example.com) or an Entra object ID',
  USER,
  (id) => `<at>${id}</at>`,
);

export const teamsFormat = drawnFormat<TeamsMessage>({
  name: 'teams',
  mentions: teamsMentions,
  markup: UNMARKED,
  parts: ['text', 'message', 'outputs', 'facts'],
  opensTitle: true,
  limit: { most: MAX_BYTES, of: jsonBytes },
  message: (drawn) => {
    const { tone, title, link } = drawn;
    const look = { weight: 'Bolder', size: 'Large' } as const;
    const opens = link === undefined ? look : { selectAction: openUrl(link.text, link.url), ...look };
    const head = boxOf(STYLES[tone], linesOf([run(title, opens)]));
    return messageOf(drawn, [head, ...drawn.lines.flatMap(elementsOf)]);
  },
  // A card of one text, since a workflow posts nothing else.
  plain: (drawn) => messageOf(drawn, linesOf([run(drawn.text)])),
});

function messageOf({ called, mentions, summary, link }: Drawn, elements: readonly Element[]) {
  const entities = called.map((id) => ({
    type: 'mention',
    text: `<at>${id}</at>`,
    mentioned: { id, name: id },
  }));
  // A text block supports Markdown and mentions, so it must contain no foreign text.
  const calling = { type: 'TextBlock', text: mentions.join(' '), wrap: true } as const;
  const content = {
    fallbackText: withoutMarkdown(summary),
    body: [...(mentions.length > 0 ? [calling] : []), ...elements],
    msteams: { width: 'Full', ...(entities.length > 0 && { entities }) },
    ...(link !== undefined && { actions: [openUrl(link.text, link.url)] }),
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
  };
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content };
  return { type: 'message', attachments: [attachment] as const };
}

/** Clients that cannot draw the card show `fallbackText`, and may take Markdown in it. */
function withoutMarkdown(text: string): string {
  return broken(text.replace(/[*_~`#[\]]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)));
}

function elementsOf(line: CardLine): readonly Element[] {
  if ('code' in line) {
    const runs = runsOfText(line.code).map((one) => runOf(one, { fontType: 'Monospace' }));
    return [boxOf('emphasis', linesOf(runs))];
  }
  if ('items' in line) return line.items.flatMap((item) => linesOf([run('• '), ...onOneLine(item)]));
  if ('facts' in line) return [factLine(line.facts)];
  const gap = line.runs.length > 0 ? '  ' : '';
  const label = 'label' in line ? [run(line.label + gap, { weight: 'Bolder' })] : [];
  return linesOf([...label, ...line.runs.map((one) => runOf(one))]);
}

function factLine(facts: readonly Runs[]): Line {
  const look = { isSubtle: true } as const;
  const between = run(' · ', look);
  return lineOf(facts.flatMap((fact) => [between, ...onOneLine(fact, look)]).slice(1));
}

/** A block for each line, since it is not documented whether Teams shows line ends in a run. */
function linesOf(runs: readonly TextRun[]): readonly Line[] {
  const lines: TextRun[][] = [[]];
  for (const one of runs)
    for (const [index, text] of withBlanks(one.text).split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (text !== '') lines.at(-1)?.push({ ...one, text });
    }
  return lines
    .filter((line) => line.some(({ text }) => text.trim() !== ''))
    .map((line, index) => (index === 0 ? lineOf(line) : { ...lineOf(line), spacing: 'None' }));
}

function onOneLine(runs: Runs, look?: Look): readonly TextRun[] {
  return runs.map((one) => runOf({ ...one, text: one.text.replaceAll('\n', ' ') }, look));
}

function runOf({ text, style, url = '' }: StyledText, look: Look = {}): TextRun {
  return run(text, {
    ...look,
    ...(style === 'code' && { fontType: 'Monospace' }),
    ...(url !== '' && { selectAction: openUrl(text.trim(), url) }),
  });
}
