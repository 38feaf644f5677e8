/** Draws a card as an attachment in Mattermost's Markdown, with tables. */
import type { Card } from '../card.ts';
import type { ComposeContext } from '../channel.ts';
import { calledFor, mentionOption } from '../mention-option.ts';
import { TONE_COLOURS } from '../hooks/chat-html.ts';
import { escapeMarkdown, markdownFence, markdownLink } from '../hooks/markdown.ts';
import { labelOf, linesOf, type ShownOutput } from '../outputs.ts';
import { fitted, type ShownCard, showCard } from '../show-card.ts';
import type { Language } from '../../time/display.ts';

export interface MattermostMessage {
  /** Mentions, or the whole message where there is no attachment. */
  readonly text?: string;
  readonly attachments?: readonly [Attachment];
}

export interface Attachment {
  /** What a push notification shows. */
  readonly fallback: string;
  readonly color: string;
  readonly text: string;
}

/** A post takes 16,383 characters (Mattermost: "Incoming webhooks"); a longer text is split, which an attachment is not. */
const MAX_CHARACTERS = 12_000;

/** Characters of what may be long; escaping doubles some. */
const ROOM = 8000;

export function composeMattermost(card: Card, context: ComposeContext): MattermostMessage {
  const called = calledFor(context);
  const compose = (room: number) => attachmentOf(showCard(card, room), card);
  return {
    ...(called.length > 0 && { text: called.join(' ') }),
    attachments: [fitted(ROOM, compose, ({ text }) => text.length <= MAX_CHARACTERS)],
  };
}

/** For where the attachment is refused. */
export function plainMattermost({ attachments }: MattermostMessage): MattermostMessage | undefined {
  return attachments === undefined ? undefined : { text: attachments[0].fallback };
}

function attachmentOf(shown: ShownCard, { tone, language }: Card): Attachment {
  const { title, summary, text, message, isVerbatim, link, facts, footer, moreOutputs } = shown;
  const factLine = facts.map(({ name, value, url }) => {
    const words = escape(`${name} ${value}`.trim());
    return url === '' ? words : markdownLink(words, url);
  });
  const paragraphs = [
    `**${escape(title)}**`,
    escape(text.trim()),
    isVerbatim ? markdownFence(message.replace(ACTING_IN_CODE, '$&\u2060')) : escape(message),
    ...shown.outputs.map((output) => drawOutput(output, language)),
    escape(moreOutputs),
    link === undefined ? '' : markdownLink(escape(link.text), link.url),
    [...factLine, ...(footer === '' ? [] : [escape(footer)])].join(' · '),
  ];
  return {
    fallback: escape(summary),
    color: TONE_COLOURS[tone],
    text: paragraphs.filter((paragraph) => paragraph !== '').join('\n\n'),
  };
}

/** What a backslash takes its meaning in Mattermost. */
const SIGNS = /[\\`*{}[\]()#+\-!_>~|$]/g;

/** In code, too: what calls a whole channel, and Slack's `<!channel>` and `<url|label>`, which incoming webhooks translate. */
const ACTING_IN_CODE = /@(?=channel|all|here)|<(?=[!@#]|https?:)/gi;

/** What notifies, or draws, whatever stands before it: parted from what follows by a sign without width. */
const CALLING = /[@:~#]/g;

function escape(text: string): string {
  return escapeMarkdown(text.replaceAll('<', '‹'), SIGNS).replace(CALLING, '$&\u2060');
}

function drawOutput(output: ShownOutput, language: Language): string {
  const { table, more, files } = output;
  const label = `**${escape(labelOf(output, language))}**`;
  if (table !== undefined)
    return [label, '', ...tableOf(table.names, table.rows), '', escape(more)].join('\n').trim();
  if (files.some(({ url }) => url !== '')) {
    const lines = files.map((file) =>
      `- ${file.url === '' ? escape(file.name) : markdownLink(escape(file.name), file.url)} ${file.size}`.trim(),
    );
    return [label, ...lines, escape(output.moreFiles)].join('\n').trim();
  }
  return [label, ...linesOf(output, language).map(escape)].join('\n');
}

function tableOf(names: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const rowOf = (cells: readonly string[]) =>
    `| ${cells.map((cell) => escape(cell.replaceAll('\n', ' '))).join(' | ')} |`;
  return [rowOf(names), `|${names.map(() => ' --- |').join('')}`, ...rows.map(rowOf)];
}

const MENTION = /^@[a-z0-9][a-z0-9._-]{0,63}$/;

export const mattermostMentions = mentionOption('@channel, @all, @here or @ and a user name', MENTION);
