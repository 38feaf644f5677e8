/** Draws a card as an Adaptive Card. Every text of a callback stands in a text run, where nothing of it can act. */
import { cleanLine } from '../../text/clean.ts';
import type { Card, Tone } from '../card.ts';
import type { ComposeContext } from '../channel.ts';
import { calledFor, mentionOption } from '../mention-option.ts';
import { labelOf, linesOf, type ShownFile, type ShownOutput } from '../outputs.ts';
import { fitted, type ShownCard, showCard } from '../show-card.ts';
import type { Language } from '../../time/display.ts';
import type {
  AdaptiveCard,
  CardElement,
  Container,
  Mention,
  RichTextBlock,
  TeamsMessage,
  TextRun,
} from './card.ts';

/** Teams takes about 28 KB, everything included (learn.microsoft.com/connectors/teams); the workflow adds to it. */
const MAX_BYTES = 24_000;

/** Characters of what may be long. */
const ROOM = 6000;

const STYLES: Readonly<Record<Tone, Container['style']>> = {
  succeeded: 'good',
  error: 'attention',
  executing: 'accent',
  alert: 'warning',
  test: 'default',
};

export function composeTeams(card: Card, context: ComposeContext): TeamsMessage {
  const mentions = calledFor(context).map(mentionOf);
  const compose = (room: number) => messageOf(showCard(card, room), card, mentions);
  return fitted(ROOM, compose, (message) => Buffer.byteLength(JSON.stringify(message)) <= MAX_BYTES);
}

/** One text, for where the card is refused. */
export function plainTeams({ attachments: [{ content }] }: TeamsMessage): TeamsMessage {
  return teamsMessage({ ...content, msteams: { width: 'Full' }, body: [line(run(content.fallbackText))] });
}

function messageOf(shown: ShownCard, { tone, language }: Card, mentions: readonly Mention[]): TeamsMessage {
  const body: CardElement[] = [
    ...(mentions.length === 0 ? [] : [mentionLine(mentions)]),
    boxOf(STYLES[tone], [line(run(shown.title, { weight: 'Bolder', size: 'Large' }))]),
    ...linesIn(shown.text),
    ...messageIn(shown),
    ...shown.outputs.flatMap((output) => outputLines(output, language)),
    ...linesIn(shown.moreOutputs),
    ...factLine(shown),
  ];
  const { link } = shown;
  return teamsMessage({
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    fallbackText: shown.summary,
    msteams: { width: 'Full', ...(mentions.length > 0 && { entities: mentions }) },
    body,
    ...(link !== undefined && { actions: [openUrl(link.text, link.url)] }),
  });
}

function teamsMessage(content: AdaptiveCard): TeamsMessage {
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}

function run(text: string, look: Omit<TextRun, 'type' | 'text'> = {}): TextRun {
  return { type: 'TextRun', text, ...look };
}

function line(...inlines: readonly TextRun[]): RichTextBlock {
  return { type: 'RichTextBlock', inlines };
}

function openUrl(title: string, url: string) {
  return { type: 'Action.OpenUrl', title, url } as const;
}

function boxOf(style: Container['style'], items: readonly RichTextBlock[]): Container {
  return { type: 'Container', style, ...(style !== 'emphasis' && { bleed: true }), items };
}

/** A block for each line, since whether a line end within a run is shown is documented nowhere. */
function linesIn(text: string, look: Omit<TextRun, 'type' | 'text'> = {}): readonly RichTextBlock[] {
  const lines = text.split('\n').filter((one) => one.trim() !== '');
  return lines.map((one, index) => ({
    ...line(run(one, look)),
    ...(index > 0 && { spacing: 'None' as const }),
  }));
}

function messageIn({ message, isVerbatim }: ShownCard): readonly CardElement[] {
  if (!isVerbatim) return linesIn(message);
  return [boxOf('emphasis', linesIn(message, { fontType: 'Monospace' }))];
}

function outputLines(output: ShownOutput, language: Language): readonly RichTextBlock[] {
  const { text, isCode, files } = output;
  const label = run(`${labelOf(output, language)}  `, { weight: 'Bolder' });
  const hasLinks = files.some(({ url }) => url !== '');
  if (hasLinks) return [line(label), ...files.map(fileLine), ...linesIn(output.moreFiles)];
  const lines = linesOf(output, language);
  const [first = ''] = lines;
  if (lines.length === 1 && text !== '' && !isCode) return [line(label, run(first))];
  const look = isCode ? ({ fontType: 'Monospace' } as const) : {};
  return [line(label), ...lines.map((one) => close(line(run(one, look))))];
}

function fileLine({ name, size, url }: ShownFile): RichTextBlock {
  const shown = run(`• ${name}`, url === '' ? {} : { selectAction: openUrl(name, url) });
  return close(line(shown, ...(size === '' ? [] : [run(`  ${size}`, { isSubtle: true })])));
}

function close(block: RichTextBlock): RichTextBlock {
  return { ...block, spacing: 'None' };
}

function factLine({ facts, footer }: ShownCard): readonly RichTextBlock[] {
  const shown = facts.map(({ name, value, url }) =>
    run(cleanLine(`${name} ${value}`), {
      isSubtle: true,
      ...(url !== '' && { selectAction: openUrl(name || cleanLine(value), url) }),
    }),
  );
  if (footer !== '') shown.push(run(footer, { isSubtle: true }));
  if (shown.length === 0) return [];
  return [
    line(...shown.flatMap((one, index) => (index === 0 ? [one] : [run(' · ', { isSubtle: true }), one]))),
  ];
}

/** A user principal name, or the ID of a user in Entra. */
const USER = /^(?:[^\s<>"@]+@[^\s<>"@]+\.[^\s<>"@]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

export const teamsMentions = mentionOption(
  'the sign-in name of a user (user@example.com) or an Entra object ID',
  USER,
);

function mentionOf(id: string): Mention {
  return { type: 'mention', text: `<at>${id}</at>`, mentioned: { id, name: id } };
}

function mentionLine(mentions: readonly Mention[]): CardElement {
  return { type: 'TextBlock', text: mentions.map(({ text }) => text).join(' '), wrap: true };
}
