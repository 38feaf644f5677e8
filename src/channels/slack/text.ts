/** A Slack message as a person would read it on a terminal. */
import type { SlackMessage, SlackObject } from './message.ts';
import { type Look, viewBlock, viewMessage, type WordLook } from './preview.ts';
import { writeMrkdwn } from './read-mrkdwn.ts';

const FENCE_INDENT = '    ';

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `${FENCE_INDENT}${line}`)
    .join('\n');
}

function withAddress(label: string, url: string): string {
  return url === '' || url === label ? label : `${label} (${url})`;
}

const WORD_LOOK: WordLook = {
  text: (text) => text,
  bold: (inner) => inner,
  italic: (inner) => inner,
  strike: (inner) => inner,
  code: (code) => `\`${code}\``,
  fence: (code) => `\n${indent(code)}\n`,
  link: (url, label) => withAddress(label, url),
  mention: (label) => label,
};

const LOOK: Look = {
  ...WORD_LOOK,
  between: '\n',
  mrkdwn: (source) => writeMrkdwn(source, WORD_LOOK),
  header: (inner) => inner,
  section: (body, fields, accessory) =>
    [body, ...fields.map((field) => field.replaceAll('\n', ': ')), accessory]
      .filter((part) => part !== '')
      .join('\n'),
  row: (elements) => elements.join('  '),
  divider: () => '─'.repeat(24),
  button: (label, url) => withAddress(`[${label}]`, url),
  image: (label, url) => withAddress(`[${label}]`, url),
  line: (inner) => inner,
  quote: (inner) => `> ${inner.replaceAll('\n', '\n> ')}`,
  list: (items) => items.map((item) => `• ${item}`).join('\n'),
  table: (rows) => rows.map((row) => row.join(' | ')).join('\n'),
};

export function slackAsText(message: SlackMessage): string {
  return viewMessage(message, LOOK)
    .filter((text) => text.trim() !== '')
    .join('\n')
    .replace(/\n{3,}/gu, '\n\n')
    .replace(/^\n+/u, '')
    .trimEnd();
}

/** Several lines, without a line end after the last. */
export function textOfBlock(block: SlackObject): string {
  return viewBlock(block, LOOK);
}
