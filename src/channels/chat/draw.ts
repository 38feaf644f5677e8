/** Draws a card for a chat: its message within the chat's limit, its plain form and its preview, all from the same lines. */
import type { Card, Tone } from '../card.ts';
import { type CardLine, type Markup, markedUp, words } from '../lines.ts';
import type { Composed, MessageFormat } from '../channel.ts';
import { type Fitted, fitted, type Limit } from '../fit.ts';
import { MENTION_OPTION, type Mentions } from '../mention-option.ts';
import { shownAs } from '../preview.ts';
import { CARD_PARTS, type CardPart, linesOfCard, LIMITS, type ShownCard, withJobId } from '../show-card.ts';

export interface Drawn extends Pick<ShownCard, 'title' | 'summary' | 'link'> {
  readonly tone: Tone;
  /** The entries of `mention_on_error` that apply, and the same in the chat's markup. */
  readonly called: readonly string[];
  readonly mentions: readonly string[];
  readonly lines: readonly CardLine[];
  /** The lines in the chat's markup. A function, as not every chat needs it. */
  readonly text: () => string;
  /** The mentions, and below them the text. */
  readonly whole: () => string;
}

export interface FormatParts<Message> {
  readonly name: string;
  readonly mentions?: Mentions;
  readonly markup: Markup | ((tone: Tone) => Markup);
  /** The most tables of a message; by default any number, or none if the markup has no tables. */
  readonly tables?: number | undefined;
  /** The parts of the card in `Drawn.lines`; others have places of their own in the message. */
  readonly parts: readonly CardPart[];
  /** The title as the message shows it; left out if that is the whole title. */
  readonly titleOf?: (title: string) => string;
  /** Whether a title outside `Drawn.lines` opens the card's link. */
  readonly opensTitle?: true;
  readonly limit: Limit<Message>;
  readonly message: (drawn: Drawn) => Message;
  /** The message in plain text; `Drawn.lines` then hold all parts of the card. */
  readonly plain: (drawn: Drawn) => Message;
  /** The markup of the plain text, if it differs. */
  readonly plainMarkup?: Markup;
}

export function drawnFormat<Message>(drawing: FormatParts<Message>): MessageFormat<Message> {
  const { name, mentions, plain, plainMarkup = drawing.markup } = drawing;
  const inPlainText = {
    ...drawing,
    parts: CARD_PARTS,
    markup: plainMarkup,
    tables: undefined,
    message: plain,
  };
  return {
    name,
    ...(mentions && { options: { [MENTION_OPTION]: mentions.option } }),
    compose: (card, context): Composed<Message> => {
      const called = mentions?.of(context) ?? [];
      const drawn = draw(drawing, card, called);
      return {
        message: drawn.message,
        plain: () => draw(inPlainText, withJobId(card, context), called).message,
        ...shownAs(() => ({ tone: card.tone, lines: previewOf(drawing, drawn.shown, called) })),
      };
    },
  };
}

/** The message's size in bytes of JSON, for `FormatParts.limit`. */
export function jsonBytes(message: unknown): number {
  return Buffer.byteLength(JSON.stringify(message));
}

function draw<Message>(
  { mentions: mentioning, limit, parts, markup, tables, message }: FormatParts<Message>,
  card: Card,
  called: readonly string[],
): Fitted<Message> {
  const { tone } = card;
  const marks = typeof markup === 'function' ? markup(tone) : markup;
  const mentions = called.map((entry) => mentioning?.write(entry) ?? '');
  const most = { ...LIMITS, tables: tables ?? (marks.table === undefined ? 0 : Infinity) };
  return fitted(card, most, limit, (shown) => {
    const { title, summary, link } = shown;
    const lines = linesOfCard(shown, parts);
    const text = () => markedUp(lines, marks);
    const whole = () => `${mentions.join(' ')}\n${text()}`.trim();
    return message({ tone, title, summary, link, called, mentions, lines, text, whole });
  });
}

/** The lines that the message shows, in the card's order. */
function previewOf<Message>(
  { parts, opensTitle, titleOf = (title) => title }: FormatParts<Message>,
  shown: ShownCard,
  called: readonly string[],
): readonly CardLine[] {
  const isApart = (part: CardPart) => !parts.includes(part);
  return [
    ...words(called.map((entry) => (/^[@<]/.test(entry) ? entry : `@${entry}`)).join(' '), 'mention'),
    ...(isApart('title') && isApart('heading')
      ? words(titleOf(shown.title), 'bold', opensTitle && shown.link?.url)
      : []),
    ...linesOfCard(shown, parts),
    ...(isApart('link') ? linesOfCard(shown, ['link']) : []),
  ];
}
