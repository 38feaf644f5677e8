/** Composes a mail from a card: a subject of one line, a complete plain text, and HTML. */
import { shortLine } from '../../text/cut.ts';
import type { Language } from '../../time/display.ts';
import type { Card } from '../card.ts';
import { markedUp, UNMARKED } from '../lines.ts';
import { fitted, type Limit } from '../fit.ts';
import { linesOfCard, type Most, showCard, type ShownCard } from '../show-card.ts';
import { frameOf } from './frame.ts';

export interface EmailMessage {
  readonly subject: string;
  readonly text: string;
  /** '' for a mail of plain text alone. */
  readonly html: string;
}

const MOST: Most = {
  outputs: 40,
  items: 500,
  facts: 20,
  characters: 32_000,
  tables: Infinity,
};

/** Gmail cuts mails beyond about 102 KB and shows the rest behind a link. */
export const MOST_BYTES = 80_000;

const LIMIT: Limit<EmailMessage> = {
  most: MOST_BYTES,
  of: ({ text, html }) => Math.max(Buffer.byteLength(text), Buffer.byteLength(html)),
};

/** HTML cannot be cut without breaking it, so it is the card that is fitted. */
export function composeMail(card: Card): EmailMessage {
  const subject = subjectOf(card.summary, card.language);
  const build = (shown: ShownCard) => ({ subject, text: textOf(shown), html: frameOf(shown, card) });
  return fitted(card, MOST, LIMIT, build).message;
}

export function showMail(card: Card): ShownCard {
  return showCard(card, MOST);
}

/** Mail readers show the first 40 to 70 characters. */
const LONGEST_SUBJECT = 150;

const NO_SUBJECT: Readonly<Record<Language, string>> = { en: 'Notification', ja: '通知' };

export function subjectOf(summary: string, language: Language): string {
  return shortLine(summary, LONGEST_SUBJECT) || NO_SUBJECT[language];
}

const PARAGRAPHS = [['title', 'text'], ['message'], ['outputs'], ['link'], ['facts']] as const;

function textOf(shown: ShownCard): string {
  const paragraphs = PARAGRAPHS.map((parts) => markedUp(linesOfCard(shown, parts), UNMARKED));
  return `${paragraphs.filter((part) => part !== '').join('\n\n')}\n`;
}
