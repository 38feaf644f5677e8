/** Reads a Slack message for a preview: what its reader sees, part by part. */
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
import { type Piece, piecesOfMrkdwn, type Style } from './mrkdwn.ts';

export type Pieces = readonly Piece[];

export type Part =
  | { readonly kind: 'line' | 'header' | 'quote'; readonly pieces: Pieces }
  /** Side by side: of a section's fields, a context, or actions. */
  | { readonly kind: 'fields' | 'row'; readonly cells: readonly Pieces[] }
  | { readonly kind: 'list'; readonly items: readonly Pieces[]; readonly isOrdered: boolean }
  /** The first row names the columns. */
  | { readonly kind: 'table'; readonly rows: readonly (readonly Pieces[])[] }
  | { readonly kind: 'divider' };

export function readMessage({ text, blocks = [] }: SlackMessage): readonly Part[] {
  if (blocks.length === 0) return [{ kind: 'line', pieces: piecesOfMrkdwn(text) }];
  return blocks.flatMap(readBlock);
}

function readBlock(block: SlackObject): readonly Part[] {
  switch (typeOf(block)) {
    case 'header':
      return [{ kind: 'header', pieces: piecesOf(block['text']) }];
    case 'divider':
      return [{ kind: 'divider' }];
    case 'section':
      return [
        { kind: 'line', pieces: piecesOf(block['text']) },
        { kind: 'fields', cells: objectsAt(block, 'fields').map(piecesOf) },
        { kind: 'line', pieces: piecesOf(block['accessory']) },
      ];
    case 'context':
    case 'actions':
      return [{ kind: 'row', cells: objectsAt(block, 'elements').map(piecesOf) }];
    case 'rich_text':
      return objectsAt(block, 'elements').map(readRichText);
    case 'table':
      return [{ kind: 'table', rows: rowsOfTable(block).map((row) => row.map(piecesOfCell)) }];
    default:
      return [{ kind: 'line', pieces: piecesOf(block) }];
  }
}

/** A string, a text object, an image, a button, or anything with words of its own. */
function piecesOf(value: TemplateValue | undefined): Pieces {
  if (typeof value === 'string') return [{ text: value, styles: [] }];
  if (!isObject(value)) return [];
  const [type, text] = [typeOf(value), stringAt(value, 'text')];
  if (type === 'mrkdwn') return piecesOfMrkdwn(text);
  if (type === 'image')
    return [{ text: stringAt(value, 'alt_text'), styles: ['button'], url: stringAt(value, 'image_url') }];
  const words = piecesOf(value['text']);
  if (type !== 'button') return words;
  return words.map((each) => ({ ...each, styles: ['button'], url: stringAt(value, 'url') }));
}

function readRichText(element: SlackObject): Part {
  const items = objectsAt(element, 'elements');
  switch (typeOf(element)) {
    case 'rich_text_list':
      return {
        kind: 'list',
        items: items.map(piecesOfRuns),
        isOrdered: stringAt(element, 'style') === 'ordered',
      };
    case 'rich_text_preformatted':
      return { kind: 'line', pieces: [{ text: items.map(wordsOfRun).join(''), styles: ['fence'] }] };
    case 'rich_text_quote':
      return { kind: 'quote', pieces: piecesOfRuns(element) };
    default:
      return { kind: 'line', pieces: piecesOfRuns(element) };
  }
}

function piecesOfCell(cell: SlackObject): Pieces {
  return typeOf(cell) === 'rich_text' ? objectsAt(cell, 'elements').flatMap(piecesOfRuns) : piecesOf(cell);
}

function piecesOfRuns(holder: SlackObject): Pieces {
  return objectsAt(holder, 'elements').map((run) => {
    const text = wordsOfRun(run);
    if (typeOf(run) === 'link') return { text, styles: [], url: stringAt(run, 'url') };
    return { text, styles: typeOf(run) === 'text' ? stylesOf(run) : ['mention'] };
  });
}

function stylesOf({ style }: SlackObject): readonly Style[] {
  const styles = isObject(style) ? style : {};
  return (['code', 'bold', 'italic', 'strike'] as const).filter((name) => styles[name] === true);
}

/** Where the words of a run stand, by its type, and what Slack shows around them. */
const WORDS: Readonly<Record<string, readonly [key: string, before: string, behind?: string]>> = {
  user: ['user_id', '@'],
  usergroup: ['usergroup_id', '@'],
  channel: ['channel_id', '#'],
  broadcast: ['range', '@'],
  emoji: ['name', ':', ':'],
  date: ['fallback', ''],
};

function wordsOfRun(run: SlackObject): string {
  const [key, before, behind = ''] = WORDS[typeOf(run)] ?? ['text', ''];
  const text = stringAt(run, key);
  return text === '' ? stringAt(run, 'url') : before + text + behind;
}

/** The words of a table's cell. */
export function textOfCell(cell: SlackObject): string {
  return piecesOfCell(cell)
    .map(({ text }) => text)
    .join('');
}
