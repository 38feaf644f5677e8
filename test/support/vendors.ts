/** What a vendor documents about messages, and the judge that accepts messages within these limits. */
import { type ChatAnswer, type Judge, wrongRequest } from './chat-stand-in.ts';

export interface Limits {
  /** The path of the URL to which messages go. */
  readonly path: RegExp;
  /** The parameters that the URL needs. */
  readonly query?: readonly string[];
  readonly header?: readonly [name: string, value: string];
  /** The body's content type, if it is not JSON. */
  readonly type?: 'application/x-www-form-urlencoded';
  readonly mostBytes?: number;
  /** The most characters of a text, or items of a list, by the keys that lead to it. */
  readonly most?: Readonly<Record<string, number>>;
  /** The members that may be blank or empty. */
  readonly blank?: RegExp;
  readonly texts?: readonly Texts[];
  readonly wrong?: (message: Readonly<Record<string, unknown>>) => string | undefined;
  readonly taken: ChatAnswer;
  readonly asked?: ChatAnswer;
}

/** Where texts are, what in them is the channel's own and how it is replaced, and what in the rest would be markup, or was left open by a cut. */
type Texts = readonly [at: RegExp, own: readonly Own[], acts: RegExp];
export type Own = readonly [written: RegExp, shown: string];

/** A block of code ends at the first three backticks wherever they stand, or at a line of as many as it begins with. */
export const FENCE: Own = [/(?<!\\)```[\s\S]*?```/g, ''];
export const FENCE_OF_LINES: Own = [/^(`{3,})\n[\s\S]*?\n\1`*$/gm, ''];
/** Code, and links that show their address, which only Discord gets. */
export const CODE: Own = [/(?<!\\)`[^`\\\n]+`|<https?:\/\/[^\s<>]+>/g, ''];
export const MARKDOWN: readonly Own[] = [
  [/\\[^\p{L}\p{N}\s]/gu, ''],
  [/\[[^[\]]*\]\(https?:[^()\s]+\)/g, ''],
  [/\*\*([^*]+)\*\*/g, '$1'],
];
export const LEFT_OPEN = /[`[\]\\]|\*\*|<[@#/:!]|<(?:t|id):/;

export function judgeBy(limits: Limits): Judge {
  const { path, query = [], header: [name = '', value] = [], type, mostBytes = Infinity } = limits;
  return (request) => {
    if (request.headers[name] !== value) return { answer: { status: 401 }, refused: `the header ${name}` };
    if (request.method === 'GET') return { answer: limits.asked ?? { status: 404 } };
    const refused =
      wrongRequest(request, type) ??
      firstWrong(
        [!path.test(request.path), `the path ${request.path}`],
        [query.some((key) => !request.query.get(key)), `the query ${request.query.toString()}`],
        [Buffer.byteLength(request.body) > mostBytes, `it is longer than ${mostBytes} bytes`],
      ) ??
      wrongMessage(request.body, limits);
    return refused === undefined ? { answer: limits.taken } : { answer: { status: 400 }, refused };
  };
}

function wrongMessage(body: string, limits: Limits): string | undefined {
  const parsed: unknown =
    limits.type === undefined ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
  const message = parsed as Readonly<Record<string, unknown>>;
  if (Object.keys(message).length === 0) return 'an empty message';
  return limits.wrong?.(message) ?? wrongMember('', message, limits);
}

function wrongMember(path: string, value: unknown, limits: Limits): string | undefined {
  const most = limits.most?.[path] ?? Infinity;
  if (typeof value === 'string') return wrongText(path, value, most, limits);
  if (typeof value !== 'object' || value === null) return undefined;
  const isList = Array.isArray(value);
  const below = (key: string) => (isList ? path : `${path}.${key}`.replace(/^\./, ''));
  const wrong = Object.entries(value).map(([key, member]) => wrongMember(below(key), member, limits));
  return (
    firstWrong(
      [isList && value.length === 0 && !limits.blank?.test(path), `nothing in ${path}`],
      [isList && value.length > most, `too much in ${path}`],
    ) ?? wrong.find(Boolean)
  );
}

/** Characters that no client draws. */
const CONTROL = /[\0-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]/;

function wrongText(path: string, text: string, most: number, { blank, texts = [] }: Limits) {
  const [acting] = texts.flatMap(([at, own, acts]) => {
    const foreign = own.reduce((left, [written, shown]) => left.replace(written, shown), text);
    const { 0: sign, index = 0 } = (at.test(path) && acts.exec(foreign)) || {};
    return sign === undefined
      ? []
      : [`${sign} acts (${acts}): …${foreign.slice(Math.max(0, index - 40), index + 40)}…`];
  });
  return firstWrong(
    [text.trim() === '' && !blank?.test(path), `nothing in ${path}`],
    [Array.from(text).length > most, `${path} is too long`],
    [!text.isWellFormed() || CONTROL.test(text), `half a character or a control in ${path}`],
    [path.endsWith('.url') && !/^https?:\/\/[^/\s]+\S*$/.test(text), `the address ${text}`],
    [acting !== undefined, `in ${path}, ${acting}`],
  );
}

export function firstWrong(
  ...faults: readonly (readonly [isWrong: boolean, what: string])[]
): string | undefined {
  return faults.find(([isWrong]) => isWrong)?.[1];
}
