/** Draws a card as an attachment in Mattermost's Markdown, which has tables. */
import type { Card } from '../card.ts';
import { type Markup, markedUp } from '../card-lines.ts';
import type { MessageFormat } from '../channel.ts';
import { chatCard, TONE_COLOURS } from '../hooks/chat-html.ts';
import { markdownAsHtml, markdownWith } from '../hooks/markdown.ts';
import { shownBy } from '../html-text.ts';
import { calledFor, mentionOption } from '../mention-option.ts';
import { CARD_PARTS, fitted, linesOfCard, showCard } from '../show-card.ts';

export interface MattermostMessage {
  /** The mentions; the whole message if there is no attachment. */
  readonly text?: string;
  readonly attachments?: readonly [Attachment];
}

interface Attachment {
  /** The text of push notifications. */
  readonly fallback: string;
  readonly color: string;
  readonly text: string;
}

/** A post takes 16,383 characters (Mattermost, "Incoming webhooks"); longer texts are split, but attachments are not. */
const MAX_CHARACTERS = 12_000;

/** Characters of text, message and outputs; escaping doubles some. */
const ROOM = 8000;

/** The characters that Mattermost lets a backslash escape. */
const MARKDOWN = markdownWith(/[\\`*{}[\]()#+\-!_>~|$]/g);

/** Even in code, incoming webhooks translate Slack's `<!channel>`, `<@user>` and `<url|label>`, also across lines. */
const SLACK = /<(?=[!@#]|[^<|]+\|)/g;
const CALLING_IN_CODE = /@(?=channel|all|here)/gi;

/** A backslash does not stop these from mentioning or drawing; a word joiner after them does. */
const CALLING = /[@:~#]/g;

const MARKUP: Markup = {
  ...MARKDOWN,
  text: (text) => MARKDOWN.text(text.replaceAll('<', '‹')).replace(CALLING, '$&\u2060'),
  code: (text) => MARKDOWN.code(text.replace(SLACK, '‹').replace(CALLING_IN_CODE, '$&\u2060')),
  table: ({ names, rows }) =>
    ['', rowOf(names), `|${' --- |'.repeat(names.length)}`, ...rows.map(rowOf), ''].join('\n'),
};

function rowOf(cells: readonly string[]): string {
  return `| ${cells.map((cell) => MARKUP.text(cell.replaceAll('\n', ' '))).join(' | ')} |`;
}

export const mattermostFormat: MessageFormat<MattermostMessage> = {
  name: 'mattermost',
  compose: (card, context) => {
    const called = calledFor(context);
    return { ...(called.length > 0 && { text: called.join(' ') }), attachments: [attachmentOf(card)] };
  },
  ...shownBy(mattermostAsHtml),
};

function attachmentOf(card: Card): Attachment {
  const draw = (room: number) => markedUp(linesOfCard(showCard(card, room), CARD_PARTS), MARKUP);
  return {
    fallback: MARKUP.text(showCard(card, 0).summary),
    color: TONE_COLOURS[card.tone],
    text: fitted(ROOM, draw, ({ length }) => length <= MAX_CHARACTERS),
  };
}

/** The message to send if Mattermost refuses the attachment. */
export function plainMattermost({ attachments }: MattermostMessage): MattermostMessage | undefined {
  return attachments === undefined ? undefined : { text: attachments[0].fallback };
}

function mattermostAsHtml({ text = '', attachments }: MattermostMessage): string {
  const attachment = attachments?.[0];
  if (attachment === undefined) return chatCard({ body: markdownAsHtml(text) });
  return chatCard({ mentions: text, body: partsOf(attachment.text), colour: attachment.color });
}

const TABLE = /\n{0,2}^\|.*\|\n\|(?: --- \|)+\n(?:\|.*\|(?:\n|$))*\n?/gmu;

/** As HTML; tables, which `markdownAsHtml` does not read, are on lines of their own. */
function partsOf(markdown: string): string {
  let html = '';
  let end = 0;
  for (const { 0: table, index } of markdown.matchAll(TABLE)) {
    const [head = '', , ...rows] = table.trim().split('\n');
    html += markdownAsHtml(markdown.slice(end, index)) + tableAsHtml([head, ...rows]);
    end = index + table.length;
  }
  return html + markdownAsHtml(markdown.slice(end));
}

const CELL = 'padding:2px 8px;border:1px solid rgba(128,128,128,.35);text-align:left;vertical-align:top';

function tableAsHtml(rows: readonly string[]): string {
  const cells = rows.map((row) =>
    row
      .slice(2, -2)
      .split(' | ')
      .map((cell) => `<td style="${CELL}">${markdownAsHtml(cell)}</td>`),
  );
  return `<table style="border-collapse:collapse;margin:4px 0">${cells.map((row) => `<tr>${row.join('')}</tr>`).join('')}</table>`;
}

const MENTION = /^@[a-z0-9][a-z0-9._-]{0,63}$/;

export const mattermostMentions = mentionOption('@channel, @all, @here or @ and a user name', MENTION);
