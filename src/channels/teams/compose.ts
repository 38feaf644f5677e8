/**
 * Draws a card as an Adaptive Card 1.4 (adaptivecards.io/explorer). Every text of a callback stands in a text run, which knows
 * no Markdown and no mentions.
 */
import type { Card, Tone } from '../card.ts';
import { type CardLine, linesOfCard, type Run } from '../card-lines.ts';
import type { ComposeContext, MessageFormat } from '../channel.ts';
import { chatBox, chatCard, chatLink, chatText, TONE_COLOURS } from '../hooks/chat-html.ts';
import { shownBy } from '../html-text.ts';
import { calledFor, mentionOption } from '../mention-option.ts';
import { fitted, showCard } from '../show-card.ts';

interface TextRun {
  readonly type: 'TextRun';
  readonly text: string;
  readonly weight?: 'Bolder';
  readonly size?: 'Large';
  readonly isSubtle?: true;
  readonly fontType?: 'Monospace';
  readonly selectAction?: OpenUrl;
}

type Look = Omit<TextRun, 'type' | 'text'>;

interface OpenUrl {
  readonly type: 'Action.OpenUrl';
  readonly title: string;
  readonly url: string;
}

/** One line. */
interface RichTextBlock {
  readonly type: 'RichTextBlock';
  readonly spacing?: 'None';
  readonly inlines: readonly TextRun[];
}

/** Takes Markdown and mentions: for nothing but our own. */
interface TextBlock {
  readonly type: 'TextBlock';
  readonly text: string;
  readonly wrap: true;
}

interface Container {
  readonly type: 'Container';
  readonly style: 'default' | 'emphasis' | 'good' | 'attention' | 'warning' | 'accent';
  readonly items: readonly RichTextBlock[];
}

interface Mention {
  readonly type: 'mention';
  readonly text: string;
  readonly mentioned: { readonly id: string; readonly name: string };
}

interface AdaptiveCard {
  readonly $schema: 'http://adaptivecards.io/schemas/adaptive-card.json';
  readonly type: 'AdaptiveCard';
  readonly version: '1.4';
  /** What a client shows that cannot draw the card. */
  readonly fallbackText: string;
  readonly msteams: { readonly width: 'Full'; readonly entities?: readonly Mention[] };
  readonly body: readonly (RichTextBlock | TextBlock | Container)[];
  readonly actions?: readonly OpenUrl[];
}

export interface TeamsMessage {
  readonly type: 'message';
  readonly attachments: readonly [
    {
      readonly contentType: 'application/vnd.microsoft.card.adaptive';
      readonly contentUrl: null;
      readonly content: AdaptiveCard;
    },
  ];
}

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
  return teamsMessage({
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    fallbackText: summary,
    msteams: { width: 'Full', ...(mentions.length > 0 && { entities: mentions }) },
    body: [
      ...(mentions.length > 0 ? [mentionLine(mentions)] : []),
      {
        type: 'Container',
        style: STYLES[card.tone],
        items: blocksOf([run(title, { weight: 'Bolder', size: 'Large' })]),
      },
      ...lines.flatMap(elementsOf),
    ],
    ...(link !== undefined && { actions: [openUrl(link.text, link.url)] }),
  });
}

/** One text, for where the card is refused. */
export function plainTeams({ attachments: [{ content }] }: TeamsMessage): TeamsMessage {
  const body = blocksOf([run(content.fallbackText)]);
  return teamsMessage({ ...content, msteams: { width: 'Full' }, body });
}

function teamsMessage(content: AdaptiveCard): TeamsMessage {
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}

function elementsOf(line: CardLine): readonly (RichTextBlock | Container)[] {
  if ('code' in line)
    return [
      { type: 'Container', style: 'emphasis', items: blocksOf([run(line.code, { fontType: 'Monospace' })]) },
    ];
  if ('items' in line) return blocksOf([run(line.items.map((item) => `• ${item}`).join('\n'))]);
  if ('facts' in line) return [factLine(line.facts)];
  const label = 'label' in line ? [run(`${line.label}  `, { weight: 'Bolder' })] : [];
  return blocksOf([...label, ...line.runs.map((one) => runOf(one))]);
}

function factLine(facts: readonly Run[]): RichTextBlock {
  const look = { isSubtle: true } as const;
  const runs = facts.map(({ text, ...fact }) => runOf({ ...fact, text: text.replaceAll('\n', ' ') }, look));
  return blockOf(runs.flatMap((one, index) => (index === 0 ? [one] : [run(' · ', look), one])));
}

/** A block for each line of the last run, since whether a line end within a run is shown is documented nowhere. */
function blocksOf(runs: readonly TextRun[]): readonly RichTextBlock[] {
  const [first, last] = [runs.slice(0, -1), runs.at(-1)];
  const lines = (last?.text ?? '').split('\n').filter((text) => text.trim() !== '');
  const blocks = lines.map((text, index) => [...(index === 0 ? first : []), run(text, last)]);
  return blocks.map((block, index) => ({ ...blockOf(block), ...(index > 0 && { spacing: 'None' }) }));
}

function blockOf(inlines: readonly TextRun[]): RichTextBlock {
  return { type: 'RichTextBlock', inlines };
}

function runOf({ text, style, url = '' }: Run, look: Look = {}): TextRun {
  return run(text, {
    ...look,
    ...(style === 'code' && { fontType: 'Monospace' }),
    ...(url !== '' && { selectAction: openUrl(text.trim(), url) }),
  });
}

function run(text: string, look: Look = {}): TextRun {
  return { ...look, type: 'TextRun', text };
}

function openUrl(title: string, url: string): OpenUrl {
  return { type: 'Action.OpenUrl', title, url };
}

function teamsAsHtml({ attachments: [{ content }] }: TeamsMessage): string {
  const { body, msteams, actions: [action] = [] } = content;
  const tone = TONES.find((each) =>
    body.some((element) => 'style' in element && element.style === STYLES[each]),
  );
  return chatCard({
    mentions: msteams.entities?.map(({ mentioned }) => `@${mentioned.name}`).join(' '),
    body: body.map(elementAsHtml).join('\n'),
    button: action && { text: action.title, url: action.url },
    colour: tone && TONE_COLOURS[tone],
  });
}

function elementAsHtml(element: RichTextBlock | TextBlock | Container): string {
  // Whom it calls is shown above.
  if (element.type === 'TextBlock') return '';
  if (element.type === 'RichTextBlock') return `<div>${element.inlines.map(runAsHtml).join('')}</div>`;
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

function mentionOf(id: string): Mention {
  return { type: 'mention', text: `<at>${id}</at>`, mentioned: { id, name: id } };
}

function mentionLine(mentions: readonly Mention[]): TextBlock {
  return { type: 'TextBlock', text: mentions.map(({ text }) => text).join(' '), wrap: true };
}
