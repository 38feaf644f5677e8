/** Composes a mail from a card: a subject of one line, a complete plain text, and HTML. */
import { shortLine } from '../../text/cut.ts';
import type { Language } from '../../time/display.ts';
import type { Card } from '../card.ts';
import { markedUp, UNMARKED } from '../lines.ts';
import { fitted, linesOfCard, type Most, showCard, type ShownCard } from '../show-card.ts';
import { frameOf } from './frame.ts';

export interface EmailMessage {
  /** One line. */
  readonly subject: string;
  readonly text: string;
  /** '' for a mail of plain text alone. */
  readonly html: string;
}

/** Characters that a card's long parts share. */
const ROOM = 32_000;

const MOST: Most = { outputs: 40, items: 500, facts: 20, factLength: 250, hasTables: true };

/** Gmail cuts mails beyond about 102 KB and shows the rest behind a link. */
export const MOST_BYTES = 80_000;

/** HTML cannot be cut without breaking it, so the card is composed with less room until the mail is small enough. */
export function composeMail(card: Card): EmailMessage {
  const { summary, language } = card;
  const draw = (room: number) => {
    const shown = showMail(card, room);
    return { subject: subjectOf(summary, language), text: textOf(shown), html: frameOf(shown, card) };
  };
  const isSmall = ({ text, html }: EmailMessage) =>
    [text, html].every((part) => Buffer.byteLength(part) <= MOST_BYTES);
  return fitted(ROOM, draw, isSmall);
}

/** The parts of a card that a mail shows, cut to its room. */
export function showMail(card: Card, room = ROOM): ShownCard {
  return showCard(card, room, MOST);
}

/** Mail readers show the first 40 to 70 characters. */
const LONGEST_SUBJECT = 150;

const NO_SUBJECT: Readonly<Record<Language, string>> = { en: 'Notification', ja: '通知' };

export function subjectOf(summary: string, language: Language): string {
  return shortLine(summary, LONGEST_SUBJECT) || NO_SUBJECT[language];
}

const RULE = '-'.repeat(40);

function textOf(shown: ShownCard): string {
  const { title, text, message, link, facts, footer } = shown;
  const parts = [
    `${title}\n${text}`.trim(),
    message,
    outputsAsText(shown),
    link === undefined ? '' : `${link.text}: ${link.url}`,
    factsAsText(facts),
    footer,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function factsAsText(facts: ShownCard['facts']): string {
  if (facts.length === 0) return '';
  const lines = facts.map(({ name, value, url }) => `${name}: ${value}${url === '' ? '' : `\n  ${url}`}`);
  return [RULE, ...lines].join('\n');
}

export function outputsAsText(shown: ShownCard): string {
  return markedUp(linesOfCard(shown, ['outputs']), UNMARKED);
}
