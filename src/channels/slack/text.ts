/** A Slack message as a person would read it on a terminal. */
import type { TemplateValue } from '../format.ts';
import { isObject, objectsAt, rowsOfTable, stringAt, typeOf } from './message.ts';
import type { SlackMessage, SlackObject } from './message.ts';
import { writeMrkdwn } from './mrkdwn.ts';
import type { MrkdwnStyle } from './mrkdwn.ts';

const FENCE_INDENT = '    ';

const TERMINAL: MrkdwnStyle = {
  text: (text) => text,
  bold: (inner) => inner,
  italic: (inner) => inner,
  strike: (inner) => inner,
  code: (code) => `\`${code}\``,
  fence: (code) => `\n${indent(code)}\n`,
  link: (url, label) => (label === url ? url : `${label} (${url})`),
  mention: (label) => label,
};

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `${FENCE_INDENT}${line}`)
    .join('\n');
}

export function slackAsText(message: SlackMessage): string {
  const blocks = (message.blocks ?? []).map(textOfBlock).filter((text) => text.trim() !== '');
  const body = blocks.length === 0 ? writeMrkdwn(message.text, TERMINAL) : blocks.join('\n');
  return body
    .replace(/\n{3,}/gu, '\n\n')
    .replace(/^\n+/u, '')
    .trimEnd();
}

/** Several lines, without a line end after the last. */
export function textOfBlock(block: SlackObject): string {
  switch (typeOf(block)) {
    case 'divider':
      return '─'.repeat(24);
    case 'section':
      return textOfSection(block);
    case 'context':
    case 'actions':
      return objectsAt(block, 'elements').map(textOfElement).join('  ');
    case 'rich_text':
      return objectsAt(block, 'elements').map(textOfRichText).join('\n');
    case 'table':
      return rowsOfTable(block)
        .map((row) => row.map(textOfBlock).join(' | '))
        .join('\n');
    default:
      return textOfElement(block);
  }
}

function textOfSection(section: SlackObject): string {
  const fields = objectsAt(section, 'fields').map((field) => textOfElement(field).replaceAll('\n', ': '));
  const accessory = section['accessory'];
  return [textOfValue(section['text']), ...fields, isObject(accessory) ? textOfElement(accessory) : '']
    .filter((text) => text !== '')
    .join('\n');
}

function textOfValue(value: TemplateValue | undefined): string {
  if (typeof value === 'string') return value;
  return isObject(value) ? textOfElement(value) : '';
}

/** A text object, an image, a button, or anything with words of its own. */
export function textOfElement(element: SlackObject): string {
  const type = typeOf(element);
  if (type === 'mrkdwn') return writeMrkdwn(stringAt(element, 'text'), TERMINAL);
  if (type === 'image')
    return withAddress(`[${stringAt(element, 'alt_text')}]`, stringAt(element, 'image_url'));
  if (type === 'button') return withAddress(`[${textOfValue(element['text'])}]`, stringAt(element, 'url'));
  return textOfValue(element['text']);
}

function withAddress(label: string, url: string): string {
  return url === '' ? label : `${label} (${url})`;
}

function textOfRichText(element: SlackObject): string {
  switch (typeOf(element)) {
    case 'rich_text_list':
      return objectsAt(element, 'elements')
        .map((item) => `• ${textOfRichText(item)}`)
        .join('\n');
    case 'rich_text_preformatted':
      return TERMINAL.fence(richTextWords(element));
    case 'rich_text_quote':
      return `> ${richTextWords(element).replaceAll('\n', '\n> ')}`;
    default:
      return richTextWords(element);
  }
}

function richTextWords(element: SlackObject): string {
  return objectsAt(element, 'elements').map(textOfRichTextWord).join('');
}

/** One run of a rich_text section; `url`, `user_id` and the like are what Slack resolves itself. */
export function textOfRichTextWord(word: SlackObject): string {
  const text = stringAt(word, 'text');
  switch (typeOf(word)) {
    case 'link':
      return text === '' ? stringAt(word, 'url') : `${text} (${stringAt(word, 'url')})`;
    case 'user':
      return `@${stringAt(word, 'user_id')}`;
    case 'usergroup':
      return `@${stringAt(word, 'usergroup_id')}`;
    case 'channel':
      return `#${stringAt(word, 'channel_id')}`;
    case 'broadcast':
      return `@${stringAt(word, 'range')}`;
    case 'emoji':
      return `:${stringAt(word, 'name')}:`;
    default:
      return isObject(word['style']) && word['style']['code'] === true ? `\`${text}\`` : text;
  }
}
