/** A Slack message as a person would read it on a terminal; and how previews read Slack's mrkdwn, which each writes out in its own way. */
import type { TemplateValue } from '../channel.ts';
import { decodeEntities } from './markup.ts';
import {
  isObject,
  objectsAt,
  rowsOfTable,
  type SlackMessage,
  type SlackObject,
  stringAt,
  typeOf,
} from './message.ts';

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

/** How each piece of mrkdwn is written; what is passed in is decoded, `inner` is already written. */
export interface MrkdwnStyle {
  text(text: string): string;
  bold(inner: string): string;
  italic(inner: string): string;
  strike(inner: string): string;
  code(code: string): string;
  fence(code: string): string;
  link(url: string, label: string): string;
  mention(label: string): string;
}

/** Slack: formatting message text: fences, code spans and `<…>` are found first, emphasis in what is left. */
const PIECES = /```(?<fence>[\s\S]+?)```|`(?<code>[^`\n]+)`|<(?<control>[^<>\n]+)>/gu;

/** Two private characters mark the place of a finished piece. */
const OPEN = '\uE000';
const CLOSE = '\uE001';
const RESERVED = /[\uE000\uE001]/gu;
const FINISHED = /\uE000(\d+)\uE001/gu;

/** A mark opens after and closes before anything that is neither letter nor digit. */
const BOLD = /(?<![\p{L}\p{N}*])\*(\S(?:[^*\n]*\S)?)\*(?![\p{L}\p{N}*])/gu;
const ITALIC = /(?<![\p{L}\p{N}_])_(\S(?:[^_\n]*\S)?)_(?![\p{L}\p{N}_])/gu;
const STRIKE = /(?<![\p{L}\p{N}~])~(\S(?:[^~\n]*\S)?)~(?![\p{L}\p{N}~])/gu;

export function writeMrkdwn(source: string, style: MrkdwnStyle): string {
  const finished: string[] = [];
  const withPlaces = source.replace(RESERVED, '').replace(PIECES, (...found) => {
    const groups = found.at(-1) as Readonly<Record<string, string | undefined>>;
    finished.push(writePiece(groups, style));
    return `${OPEN}${String(finished.length - 1)}${CLOSE}`;
  });
  return writeEmphasis(style.text(decodeEntities(withPlaces)), style).replace(
    FINISHED,
    (_, index: string) => finished[Number(index)] ?? '',
  );
}

function writeEmphasis(text: string, style: MrkdwnStyle): string {
  return text
    .replace(BOLD, (_, inner: string) => style.bold(inner))
    .replace(ITALIC, (_, inner: string) => style.italic(inner))
    .replace(STRIKE, (_, inner: string) => style.strike(inner));
}

function writePiece(groups: Readonly<Record<string, string | undefined>>, style: MrkdwnStyle): string {
  if (groups['fence'] !== undefined) return style.fence(decodeEntities(trimLineEnds(groups['fence'])));
  if (groups['code'] !== undefined) return style.code(decodeEntities(groups['code']));
  return writeControl(groups['control'] ?? '', style);
}

function trimLineEnds(code: string): string {
  return code.replace(/^\n|\n$/gu, '');
}

/** `<@U…>`, `<#C…>`, `<!here>`, `<!subteam^S…>`, `<!date^…^…|words>`, `<https://…|words>`. */
function writeControl(control: string, style: MrkdwnStyle): string {
  const bar = control.indexOf('|');
  const target = bar === -1 ? control : control.slice(0, bar);
  const label = bar === -1 ? '' : decodeEntities(control.slice(bar + 1));
  const sign = target.at(0);
  if (sign === '@' || sign === '#') return style.mention(label === '' ? target : `${sign}${label}`);
  if (target.startsWith('!date')) return style.text(label);
  if (sign === '!')
    return style.mention(label === '' ? `@${target.replace(/^!(?:subteam\^)?/u, '')}` : label);
  const url = decodeEntities(target);
  return style.link(url, label === '' ? url : label);
}
