/** Every markup of the product by a short name. */
import { HTML, MAIL_TEXT, SUBJECT } from '../../src/channels/email/markup.ts';
import { type Markup, URL_PART } from '../../src/channels/markup.ts';
import { LITERAL, MARKDOWN, MRKDWN, PLAIN_TEXT, RICH_TEXT } from '../../src/channels/slack/markup.ts';

const markups = {
  mrkdwn: MRKDWN,
  markdown: MARKDOWN,
  rich: RICH_TEXT,
  literal: LITERAL,
  plain: PLAIN_TEXT,
  html: HTML,
  text: MAIL_TEXT,
  line: SUBJECT,
  url: URL_PART,
  'whole-url': URL_PART.ofWholeValue ?? URL_PART,
} as const;

export type MarkupName = keyof typeof markups;

export const MARKUPS: Readonly<Record<MarkupName, Markup>> = markups;

export function nameOfMarkup(markup: Markup): string | undefined {
  return Object.entries(markups).find(([, each]) => each === markup)?.[0];
}
