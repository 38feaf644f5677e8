/** Slack's markup in a text: how a value is escaped in it, how it is cut, and what a reader sees of it. */
import { cutEnd } from '../../text/cut.ts';

/** Slack: formatting message text: these three, and nothing else. What is escaped neither mentions nor links. */
export function escapeMrkdwn(text: string): string {
  if (!/[&<>]/.test(text)) return text;
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function decoded(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

const FENCE = '```';

/** Cuts at the end, inside no entity and no `<…>`, and closes the fence that it cut open. */
export function cutMrkdwn(text: string, most: number, mark: string): string {
  if (text.length <= most) return text;
  const room = most - mark.length - FENCE.length - 1;
  const kept = cutEnd(text, room, '')
    .replace(/&[a-z]{0,3}$/u, '')
    .replace(/<[^<>]*$/u, '');
  const isOpen = kept.split(FENCE).length % 2 === 0;
  return `${kept}${isOpen ? `\n${FENCE}` : ''}${mark}`;
}

export type Style = 'bold' | 'italic' | 'strike' | 'code' | 'mention' | 'button' | 'fence';

/** A piece of a text as a reader sees it. */
export interface Piece {
  readonly text: string;
  readonly styles: readonly Style[];
  /** Where it leads; as it came, and so not always to be opened. */
  readonly url?: string;
}

/**
 * Slack: formatting message text: fences, code and `<…>` come first. A mark opens after and closes before anything that is
 * neither letter nor digit.
 */
const MARKED = new RegExp(
  [
    '```(?<fence>[\\s\\S]+?)```',
    '`(?<code>[^`\\n]+)`',
    '<(?<control>[^<>\\n]+)>',
    ...[
      ['bold', '\\*'],
      ['italic', '_'],
      ['strike', '~'],
    ].map(
      ([name, mark]) =>
        `(?<![\\p{L}\\p{N}${mark}])${mark}(?<${name}>[^\\s${mark}](?:[^${mark}\\n]*[^\\s${mark}])?)${mark}(?![\\p{L}\\p{N}${mark}])`,
    ),
  ].join('|'),
  'gu',
);

export function piecesOfMrkdwn(source: string, styles: readonly Style[] = []): readonly Piece[] {
  const pieces: Piece[] = [];
  const add = (text: string) => text !== '' && pieces.push({ text: decoded(text), styles });
  let end = 0;
  for (const { 0: whole, index, groups = {} } of source.matchAll(MARKED)) {
    add(source.slice(end, index));
    pieces.push(...piecesOfMarked(groups, styles));
    end = index + whole.length;
  }
  add(source.slice(end));
  return pieces;
}

function piecesOfMarked(
  { fence, code, control, bold, italic, strike }: Readonly<Record<string, string | undefined>>,
  styles: readonly Style[],
): readonly Piece[] {
  if (fence !== undefined) return [{ text: decoded(fence.replace(/^\n|\n$/gu, '')), styles: ['fence'] }];
  if (code !== undefined) return [{ text: decoded(code), styles: [...styles, 'code'] }];
  if (control !== undefined) return [pieceOfControl(control, styles)];
  if (bold !== undefined) return piecesOfMrkdwn(bold, [...styles, 'bold']);
  if (italic !== undefined) return piecesOfMrkdwn(italic, [...styles, 'italic']);
  return piecesOfMrkdwn(strike ?? '', [...styles, 'strike']);
}

/** `<@U…>`, `<#C…>`, `<!here>`, `<!subteam^S…>`, `<!date^…^…|words>`, `<https://…|words>`. */
function pieceOfControl(control: string, styles: readonly Style[]): Piece {
  const [target = '', label = ''] = decoded(control).split(/\|(.*)/s);
  const mention = (text: string): Piece => ({ text, styles: [...styles, 'mention'] });
  if (/^[@#]/.test(target)) return mention(label === '' ? target : `${target.charAt(0)}${label}`);
  if (target.startsWith('!date')) return { text: label, styles };
  if (target.startsWith('!')) return mention(label || `@${target.replace(/^!(?:subteam\^)?/u, '')}`);
  return { text: label || target, styles, url: target };
}
