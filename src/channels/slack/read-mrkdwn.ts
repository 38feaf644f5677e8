/** Reads Slack's mrkdwn for a preview, which writes each piece in its own way. */
import { decodeEntities } from './mrkdwn.ts';
import type { WordLook } from './preview.ts';

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

export function writeMrkdwn(source: string, style: WordLook): string {
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

function writeEmphasis(text: string, style: WordLook): string {
  return text
    .replace(BOLD, (_, inner: string) => style.bold(inner))
    .replace(ITALIC, (_, inner: string) => style.italic(inner))
    .replace(STRIKE, (_, inner: string) => style.strike(inner));
}

function writePiece(groups: Readonly<Record<string, string | undefined>>, style: WordLook): string {
  if (groups['fence'] !== undefined) return style.fence(decodeEntities(trimLineEnds(groups['fence'])));
  if (groups['code'] !== undefined) return style.code(decodeEntities(groups['code']));
  return writeControl(groups['control'] ?? '', style);
}

function trimLineEnds(code: string): string {
  return code.replace(/^\n|\n$/gu, '');
}

/** `<@U…>`, `<#C…>`, `<!here>`, `<!subteam^S…>`, `<!date^…^…|words>`, `<https://…|words>`. */
function writeControl(control: string, style: WordLook): string {
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
