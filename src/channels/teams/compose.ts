/**
 * Draws a card as an Adaptive Card 1.4 (adaptivecards.io/explorer). All texts of a callback are in text runs, which support
 * neither Markdown nor mentions.
 */
import type { Card, Tone } from '../card.ts';
import { type CardLine, indented, type Run } from '../card-lines.ts';
import type { ComposeContext, MessageFormat } from '../channel.ts';
import { chatBox, chatButton, chatCard, chatLink, chatText, TONE_COLOURS } from '../hooks/chat-html.ts';
import { shownBy } from '../html-text.ts';
import { calledFor, mentionOption } from '../mention-option.ts';
import { fitted, linesOfCard, showCard } from '../show-card.ts';

interface Look {
  readonly weight?: 'Bolder';
  readonly size?: 'Large';
  readonly isSubtle?: true;
  readonly fontType?: 'Monospace';
  readonly selectAction?: ReturnType<typeof openUrl>;
}

type TextRun = ReturnType<typeof run>;
type Line = ReturnType<typeof lineOf>;
type Element = Line | ReturnType<typeof boxOf> | ReturnType<typeof mentionLine>;

export type TeamsMessage = ReturnType<typeof teamsMessage>;

function openUrl(title: string, url: string) {
  return { type: 'Action.OpenUrl', title, url };
}

/** Clients replace these functions by a date even in a run, so a zero-width space breaks them up. */
const FUNCTION = /\{(?=\{(?:DATE|TIME)\()/g;

function run(text: string, look: Look = {}) {
  return { ...look, type: 'TextRun', text: text.replace(FUNCTION, '{\u200b') };
}

function lineOf(inlines: readonly TextRun[]) {
  return { type: 'RichTextBlock', inlines };
}

function boxOf(style: string, items: readonly Line[]) {
  return { type: 'Container', style, bleed: style !== 'emphasis', items };
}

/** Teams takes about 28 KB, everything included (learn.microsoft.com/connectors/teams); the workflow's additions count. */
const MAX_BYTES = 24_000;

/** Characters of text, message and outputs. */
const ROOM = 6000;

const STYLES: Readonly<Record<Tone, string>> = {
  succeeded: 'good',
  error: 'attention',
  executing: 'accent',
  alert: 'warning',
  test: 'default',
};

const TONES = Object.keys(STYLES) as readonly Tone[];

export const teamsFormat: MessageFormat<TeamsMessage> = {
  name: 'teams',
  compose: (card, context) =>
    fitted(
      ROOM,
      (room) => messageOf(card, context, room),
      (message) => Buffer.byteLength(JSON.stringify(message)) <= MAX_BYTES,
    ),
  ...shownBy(teamsAsHtml),
};

function messageOf(card: Card, context: ComposeContext, room: number): TeamsMessage {
  const shown = showCard(card, room);
  const { title, summary, link } = shown;
  const mentions = calledFor(context).map(mentionOf);
  const lines = linesOfCard(shown, ['text', 'message', 'outputs', 'facts']);
  const body = [
    ...(mentions.length > 0 ? [mentionLine(mentions)] : []),
    boxOf(STYLES[card.tone], linesOf([run(title, { weight: 'Bolder', size: 'Large' })])),
    ...lines.flatMap(elementsOf),
  ];
  return teamsMessage({
    fallbackText: summary,
    body,
    msteams: { width: 'Full', ...(mentions.length > 0 && { entities: mentions }) },
    ...(link !== undefined && { actions: [openUrl(link.text, link.url)] }),
  });
}

/** A card of the summary alone, to send if Teams refuses the whole card. */
export function plainTeams({ attachments: [{ content }] }: TeamsMessage): TeamsMessage {
  const body = linesOf([run(content.fallbackText)]);
  return teamsMessage({ ...content, msteams: { width: 'Full' }, body });
}

interface CardContent {
  /** The text that clients show if they cannot draw the card. */
  readonly fallbackText: string;
  readonly body: readonly Element[];
  readonly msteams: { readonly width: 'Full'; readonly entities?: readonly Mention[] };
  readonly actions?: readonly ReturnType<typeof openUrl>[];
}

function teamsMessage(card: CardContent) {
  const content = {
    ...card,
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
  };
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content };
  return { type: 'message', attachments: [attachment] as const };
}

function elementsOf(line: CardLine): readonly Element[] {
  if ('code' in line) return [boxOf('emphasis', linesOf([run(line.code, { fontType: 'Monospace' })]))];
  if ('items' in line) return linesOf([run(line.items.map((item) => `• ${item}`).join('\n'))]);
  if ('facts' in line) return [factLine(line.facts)];
  const gap = line.runs.length > 0 ? '  ' : '';
  const label = 'label' in line ? [run(line.label + gap, { weight: 'Bolder' })] : [];
  return linesOf([...label, ...line.runs.map((one) => runOf(one))]);
}

function factLine(facts: readonly Run[]): Line {
  const look = { isSubtle: true } as const;
  const runs = facts.map(({ text, ...fact }) => runOf({ ...fact, text: text.replaceAll('\n', ' ') }, look));
  return lineOf(runs.flatMap((one, index) => (index === 0 ? [one] : [run(' · ', look), one])));
}

/** A block for each line of the last run, since it is not documented whether Teams shows line ends in a run. */
function linesOf(runs: readonly TextRun[]): readonly Line[] {
  const last = runs.at(-1);
  const texts = (last?.text ?? '').split('\n').filter((text) => text.trim() !== '');
  const lines = texts.map((text, index) =>
    lineOf([...(index === 0 ? runs.slice(0, -1) : []), run(indented(text), last)]),
  );
  return lines.map((line, index) => (index === 0 ? line : { ...line, spacing: 'None' }));
}

function runOf({ text, style, url = '' }: Run, look: Look = {}): TextRun {
  return run(text, {
    ...look,
    ...(style === 'code' && { fontType: 'Monospace' }),
    ...(url !== '' && { selectAction: openUrl(text.trim(), url) }),
  });
}

function teamsAsHtml({ attachments: [{ content }] }: TeamsMessage): string {
  const { body, msteams, actions = [] } = content;
  const isStyled = (tone: Tone) =>
    body.some((element) => 'style' in element && element.style === STYLES[tone]);
  const tone = TONES.find(isStyled);
  const buttons = actions.map(({ title, url }) => chatButton(title, url));
  return chatCard({
    mentions: msteams.entities?.map(({ mentioned }) => `@${mentioned.name}`).join(' '),
    body: [...body.map(elementAsHtml), ...buttons].join('\n'),
    colour: tone && TONE_COLOURS[tone],
  });
}

function elementAsHtml(element: Element): string {
  if ('inlines' in element) return `<div>${element.inlines.map(runAsHtml).join('')}</div>`;
  // `chatCard` shows the mentions.
  if (!('items' in element)) return '';
  const inner = element.items.map(elementAsHtml).join('');
  return chatBox(element.style === 'emphasis' ? 'code' : 'title', inner);
}

function runAsHtml({ text, weight, selectAction }: TextRun): string {
  const shown = selectAction === undefined ? chatText(text) : chatLink(selectAction.url, chatText(text));
  return weight === undefined ? shown : `<b>${shown}</b>`;
}

/** A user principal name, or the ID of a user in Entra. */
const USER = /^(?:[^\s<>"@]+@[^\s<>"@]+\.[^\s<>"@]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

export const teamsMentions = mentionOption(
  'the sign-in name of a user (user@example.com) or an Entra object ID',
  USER,
);

type Mention = ReturnType<typeof mentionOf>;

function mentionOf(id: string) {
  return { type: 'mention', text: `<at>${id}</at>`, mentioned: { id, name: id } };
}

/** A text block supports Markdown and mentions, so it must contain no foreign text. */
function mentionLine(mentions: readonly Mention[]) {
  return { type: 'TextBlock', text: mentions.map(({ text }) => text).join(' '), wrap: true };
}
