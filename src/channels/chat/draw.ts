/** Draws a card for a chat: its message within the chat's limit, its plain form and its preview, all from the same lines. */
import type { Card, Tone } from '../card.ts';
import { type CardLine, type Markup, markedUp, withoutLast, words } from '../lines.ts';
import type { Composed, ComposeContext, MessageFormat } from '../channel.ts';
import { MENTION_OPTION, type Mentions } from '../mention-option.ts';
import { shownAs } from '../preview.ts';
import {
  type CardPart,
  fitted,
  linesOfCard,
  MOST,
  showCard,
  type ShownCard,
  withJobId,
} from '../show-card.ts';

/** A card as a chat is given it, cut to its limit. */
export interface Drawn extends Pick<ShownCard, 'title' | 'summary' | 'link'> {
  readonly tone: Tone;
  /** The entries of `mention_on_error` that apply. */
  readonly called: readonly string[];
  /** The same in the chat's markup. */
  readonly mentions: readonly string[];
  readonly lines: readonly CardLine[];
  /** The lines in the chat's markup. */
  readonly text: string;
  /** The mentions, and below them the text. */
  readonly whole: string;
}

export interface FormatParts<Message> {
  readonly name: string;
  readonly mentions?: Mentions;
  readonly markup: Markup | ((tone: Tone) => Markup);
  /** The parts of the card in `Drawn.lines`; others have places of their own in the message. */
  readonly parts: readonly CardPart[];
  /** The title as the message has it; left out if that is whole. */
  readonly titleOf?: (title: string) => string;
  /** About how many characters text, message and outputs may have together. */
  readonly room: number;
  readonly limit: { readonly most: number; readonly of: (message: Message) => number };
  readonly message: (drawn: Drawn) => Message;
  /** The message in plain text, of which `Drawn.lines` are the summary, link and facts. */
  readonly plain: (drawn: Drawn) => Message;
  /** Of the plain text, if it differs. */
  readonly plainMarkup?: Markup;
}

export function drawnFormat<Message>(drawing: FormatParts<Message>): MessageFormat<Message> {
  const { name, mentions, parts, message, plain } = drawing;
  return {
    name,
    ...(mentions && { options: { [MENTION_OPTION]: mentions.option } }),
    compose: (card, context): Composed<Message> => {
      const drawn = fitting(drawing, card, context, parts, message);
      return {
        message: message(drawn),
        plain: () => plain(fitting(drawing, withJobId(card, context), context, PLAIN, plain)),
        ...shownAs(() => ({ tone: card.tone, lines: previewOf(drawn, parts) })),
      };
    },
  };
}

const PLAIN: readonly CardPart[] = ['summary', 'link', 'facts'];

/** The message's size in bytes of JSON, for `FormatParts.limit`. */
export function jsonBytes(message: unknown): number {
  return Buffer.byteLength(JSON.stringify(message));
}

/** Draws with ever less room, then with ever fewer lines, until the message fits. */
function fitting<Message>(
  { markup, mentions: mentioning, titleOf, room, limit, plainMarkup }: FormatParts<Message>,
  card: Card,
  context: ComposeContext,
  parts: readonly CardPart[],
  messageOf: (drawn: Drawn) => Message,
): Drawn {
  const { tone } = card;
  const writer = (parts === PLAIN ? plainMarkup : undefined) ?? markup;
  const marks = typeof writer === 'function' ? writer(tone) : writer;
  const most = { ...MOST, hasTables: marks.table !== undefined };
  const called = mentioning?.of(context) ?? [];
  const mentions = called.map((entry) => mentioning?.write(entry) ?? '');
  const drawnOf = (left: number, fewer?: readonly CardLine[]): Drawn => {
    const shown = showCard(card, left, most);
    const { summary, link } = shown;
    const title = titleOf?.(shown.title) ?? shown.title;
    const lines = fewer ?? linesOfCard(shown, parts);
    const text = markedUp(lines, marks);
    const whole = `${mentions.join(' ')}\n${text}`.trim();
    return { tone, title, summary, link, called, mentions, lines, text, whole };
  };
  const fits = (drawn: Drawn) => limit.of(messageOf(drawn)) <= limit.most;
  let drawn = fitted(room, drawnOf, fits);
  for (let fewer = withoutLast(drawn.lines); fewer !== undefined && !fits(drawn); fewer = withoutLast(fewer))
    drawn = drawnOf(0, fewer);
  return drawn;
}

/** What the message shows, in the order of a card. */
function previewOf({ called, title, link, lines }: Drawn, parts: readonly CardPart[]): readonly CardLine[] {
  return [
    ...words(called.map((entry) => (/^[@<]/.test(entry) ? entry : `@${entry}`)).join(' '), 'mention'),
    ...(parts.includes('title') ? [] : words(title, 'bold')),
    ...lines,
    ...(parts.includes('link') || link === undefined ? [] : [{ runs: [link] }]),
  ];
}
