/** A chat service on loopback: judges each request as the vendor documents, keeps what it took, fails on demand. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

export interface ChatRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface ChatAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What the vendor says to a request; `refused`: why the request is not what it documents, although it may answer 2xx. */
export interface Verdict {
  readonly answer: ChatAnswer;
  /** False: it is a question, such as a login. */
  readonly isMessage?: boolean;
  readonly refused?: string;
}

export type Judge = (request: ChatRequest) => Verdict;

/** The vendor's rate limit: so many messages are taken, and to each further one it answers this. */
export function limitedTo(most: number, answer: ChatAnswer, judge: Judge): Judge {
  let taken = 0;
  return (request) => {
    const verdict = judge(request);
    const isTaken = verdict.isMessage !== false && request.method !== 'GET' && verdict.refused === undefined;
    if (!isTaken) return verdict;
    taken += 1;
    return taken <= most ? verdict : { answer };
  };
}

export type ChatFault =
  | ({ readonly kind: 'answer' } & ChatAnswer)
  | { readonly kind: 'reset' | 'hang' | 'cut' }
  /** The right answer, once the promise of `until`, called then, has resolved. */
  | { readonly kind: 'delay'; readonly until: () => Promise<unknown> };

export interface ChatStandIn {
  readonly origin: string;
  /** What was taken: in the order in which it came. */
  readonly accepted: readonly ChatRequest[];
  /** Why the others were not. */
  readonly refusals: readonly string[];
  /** Of the next requests, first in, first out. */
  readonly faults: ChatFault[];
  close(): Promise<void>;
}

export async function startChatStandIn(judge: Judge): Promise<ChatStandIn> {
  const [accepted, refusals, faults] = [[] as ChatRequest[], [] as string[], [] as ChatFault[]];
  const take = (request: ChatRequest): ChatAnswer => {
    const { answer, refused, isMessage = request.method !== 'GET' } = judge(request);
    if (refused !== undefined) refusals.push(refused);
    else if (isMessage && answer.status < 300) accepted.push(request);
    return answer;
  };
  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = requestOf(incoming, await readText(incoming));
    const fault = faults.shift();
    if (fault?.kind === 'delay') await fault.until();
    else if (fault !== undefined) return failWith(response, fault);
    return answerWith(response, take(request));
  };
  const server = createServer(
    (incoming, response) => void handle(incoming, response).catch(() => response.destroy()),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { origin: `http://127.0.0.1:${port}`, accepted, refusals, faults, close };
}

function failWith(response: ServerResponse, fault: Exclude<ChatFault, { kind: 'delay' }>): void {
  if (fault.kind === 'answer') return answerWith(response, fault);
  if (fault.kind === 'reset') response.socket?.resetAndDestroy();
  if (fault.kind !== 'cut') return;
  response.writeHead(200, { 'content-length': '100' });
  response.write('{"ok":', () => response.destroy());
}

function requestOf({ method = '', url = '/', headers }: IncomingMessage, body: string): ChatRequest {
  const { pathname, searchParams } = new URL(url, 'http://stand-in');
  return { method, path: pathname, query: searchParams, headers, body };
}

function answerWith(response: ServerResponse, { status, headers = {}, body = '' }: ChatAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

/** What each vendor of these asks of any request of a webhook; undefined: nothing is wrong. */
export function wrongRequest(
  { method, headers, body }: ChatRequest,
  type = 'application/json; charset=utf-8',
): string | undefined {
  if (method !== 'POST') return `the method is ${method}`;
  if (headers['content-type'] !== type) return `the type is ${headers['content-type']}`;
  if (!/^botbell\/\d+\.\d+\.\d+\S* \(\+https?:\/\/\S+\)$/.test(headers['user-agent'] ?? ''))
    return `the User-Agent is ${headers['user-agent']}`;
  if (headers.cookie !== undefined) return 'there is a cookie';
  return Buffer.byteLength(body) === Number(headers['content-length']) ? undefined : 'the length is wrong';
}

/** Members that are not among `known`, at whatever depth, by the `type` of the object or the key that holds it. */
export function unknownMembers(value: unknown, known: readonly string[]): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => unknownMembers(item, known));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    ...(known.includes(key) ? [] : [key]),
    ...unknownMembers(member, known),
  ]);
}

/** The keys that an object may have; below a key the shape of the object there, or of each object in the list there. */
export interface Shape {
  readonly [key: string]: Shape | 'scalar' | 'anything';
}

/** The paths at which a value is not of the shape: an unknown key, or a scalar where an object belongs or the reverse. */
export function outOfShape(value: unknown, shape: Shape[string], path = ''): readonly string[] {
  if (shape === 'anything') return [];
  if (Array.isArray(value) && shape !== 'scalar')
    return value.flatMap((item) => outOfShape(item, shape, path));
  const isObject = typeof value === 'object' && value !== null;
  if (shape === 'scalar' || !isObject) return isObject === (shape === 'scalar') ? [path] : [];
  return Object.entries(value).flatMap(([key, member]) => {
    const known = Object.hasOwn(shape, key) ? shape[key] : undefined;
    return known === undefined ? [`${path}/${key}`] : outOfShape(member, known, `${path}/${key}`);
  });
}

/** Half a surrogate pair, or a character that no client draws. */
export function badCharacter(json: string): string | undefined {
  let bad: string | undefined;
  JSON.parse(json, (_, value: unknown) => {
    if (
      typeof value === 'string' &&
      (!value.isWellFormed() || /[\0-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]/.test(value))
    )
      bad = `half a character or a control in ${JSON.stringify(value.slice(0, 80))}`;
    return value;
  });
  return bad;
}

/** A block of code ends at the first three backticks wherever they stand, or at a line of as many as it begins with. */
const FENCES = {
  anywhere: /(?<!\\)```[\s\S]*?```/g,
  atLine: /^(`{3,})\n[\s\S]*?\n\1`*$/gm,
} as const;

/** Markdown without its blocks of code, in which nothing acts. */
export function outOfFences(markdown: string, end: keyof typeof FENCES): string {
  return markdown.replaceAll(FENCES[end], '');
}

/** Also links that show their address, which only Discord is sent. */
export const INLINE_CODE = /(?<!\\)`[^`\\\n]+`|<https?:\/\/[^\s<>]+>/g;

/** Markdown that a cut has left open, so that foreign text in it acts or our own signs show: a fence, a link or an escape. */
export function openMarkdown(markdown: string, end: keyof typeof FENCES): string | undefined {
  const drawn = outOfFences(markdown, end)
    .replaceAll(INLINE_CODE, '')
    .replaceAll(end === 'atLine' ? /\\(?:[^\p{L}\p{N}\s]|(?=[\p{L}\p{N}$]))/gu : /\\[^\p{L}\p{N}\s]/gu, '');
  const links = drawn.replaceAll(/\[[^[\]]*\]\(https?:[^()\s]+\)/g, '');
  return firstWrong(
    [links.includes('`'), 'code without an end'],
    [/[[\]]/.test(links), 'a link without an end'],
    [links.includes('\\'), 'an escape without its sign'],
    [(links.match(/\*\*/g) ?? []).length % 2 === 1, 'bold without an end'],
    [/<[@#/:!]|<(?:t|id):/.test(links), 'a sequence that acts'],
  );
}

/** What is wrong first. */
export function firstWrong(
  ...faults: readonly (readonly [isWrong: boolean, what: string])[]
): string | undefined {
  return faults.find(([isWrong]) => isWrong)?.[1];
}
