/** A Slack message as its reader would see it, near enough: what is shown where, in whichever look. */
import type { TemplateValue } from '../channel.ts';
import {
  isObject,
  objectsAt,
  rowsOfTable,
  type SlackMessage,
  type SlackObject,
  stringAt,
  typeOf,
} from './message.ts';

/** How words are written; what is passed in is what a reader sees, `inner` is already written. */
export interface WordLook {
  text(text: string): string;
  bold(inner: string): string;
  italic(inner: string): string;
  strike(inner: string): string;
  code(code: string): string;
  fence(code: string): string;
  link(url: string, label: string): string;
  mention(label: string): string;
}

/** How blocks are written, each of parts that are already written. */
export interface Look extends WordLook {
  /** Stands between two parts of a rich text. */
  readonly between: string;
  mrkdwn(source: string): string;
  header(inner: string): string;
  section(body: string, fields: readonly string[], accessory: string): string;
  /** Of a context, or of actions. */
  row(elements: readonly string[]): string;
  divider(): string;
  button(label: string, url: string): string;
  image(label: string, url: string): string;
  line(inner: string): string;
  quote(inner: string): string;
  list(items: readonly string[], isOrdered: boolean): string;
  /** The first row names the columns. */
  table(rows: readonly (readonly string[])[]): string;
}

export function viewMessage({ text, blocks = [] }: SlackMessage, look: Look): readonly string[] {
  return blocks.length === 0 ? [look.mrkdwn(text)] : blocks.map((block) => viewBlock(block, look));
}

export function viewBlock(block: SlackObject, look: Look): string {
  switch (typeOf(block)) {
    case 'header':
      return look.header(viewValue(block['text'], look));
    case 'divider':
      return look.divider();
    case 'section': {
      const fields = objectsAt(block, 'fields').map((field) => viewElement(field, look));
      return look.section(viewValue(block['text'], look), fields, viewValue(block['accessory'], look));
    }
    case 'context':
    case 'actions':
      return look.row(objectsAt(block, 'elements').map((element) => viewElement(element, look)));
    case 'rich_text':
      return objectsAt(block, 'elements')
        .map((element) => viewRichText(element, look))
        .join(look.between);
    case 'table':
      return look.table(rowsOfTable(block).map((row) => row.map((cell) => viewBlock(cell, look))));
    default:
      return viewElement(block, look);
  }
}

function viewValue(value: TemplateValue | undefined, look: Look): string {
  if (typeof value === 'string') return look.text(value);
  return isObject(value) ? viewElement(value, look) : '';
}

/** A text object, an image, a button, or anything with words of its own. */
function viewElement(element: SlackObject, look: Look): string {
  switch (typeOf(element)) {
    case 'mrkdwn':
      return look.mrkdwn(stringAt(element, 'text'));
    case 'image':
      return look.image(stringAt(element, 'alt_text'), stringAt(element, 'image_url'));
    case 'button':
      return look.button(viewValue(element['text'], look), stringAt(element, 'url'));
    default:
      return viewValue(element['text'], look);
  }
}

function viewRichText(element: SlackObject, look: Look): string {
  const runs = objectsAt(element, 'elements');
  switch (typeOf(element)) {
    case 'rich_text_list': {
      const isOrdered = stringAt(element, 'style') === 'ordered';
      return look.list(
        runs.map((item) => viewRuns(item, look)),
        isOrdered,
      );
    }
    case 'rich_text_preformatted':
      return look.fence(runs.map(wordsOfRun).join(''));
    case 'rich_text_quote':
      return look.quote(viewRuns(element, look));
    default:
      return look.line(viewRuns(element, look));
  }
}

function viewRuns(holder: SlackObject, look: Look): string {
  return objectsAt(holder, 'elements')
    .map((run) => viewRun(run, look))
    .join('');
}

function viewRun(run: SlackObject, look: Look): string {
  const type = typeOf(run);
  const text = wordsOfRun(run);
  if (type === 'link') return look.link(stringAt(run, 'url'), text);
  if (type !== 'text') return look.mention(text);
  const style = isObject(run['style']) ? run['style'] : {};
  let written = style['code'] === true ? look.code(text) : look.text(text);
  if (style['bold'] === true) written = look.bold(written);
  if (style['italic'] === true) written = look.italic(written);
  return style['strike'] === true ? look.strike(written) : written;
}

/** Where the words of a run stand, by its type, and what Slack shows before them. */
const WORDS: Readonly<Record<string, readonly [sign: string, key: string]>> = {
  user: ['@', 'user_id'],
  usergroup: ['@', 'usergroup_id'],
  channel: ['#', 'channel_id'],
  broadcast: ['@', 'range'],
  emoji: [':', 'name'],
  date: ['', 'fallback'],
};

function wordsOfRun(run: SlackObject): string {
  const [sign, key] = WORDS[typeOf(run)] ?? ['', 'text'];
  const text = stringAt(run, key);
  if (typeOf(run) === 'emoji') return `:${text}:`;
  return text === '' ? stringAt(run, 'url') : sign + text;
}
