/** A chat service on loopback: judges each request by the vendor's documents, keeps those that it accepts, and fails on demand. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { onLoopback } from './on-loopback.ts';

export type ChatRequest = ReturnType<typeof requestOf>;

export interface ChatAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
}

/** The vendor's answer to a request; `refused`: how the request departs from the vendor's documents, even if it answers 2xx. */
export interface Verdict {
  readonly answer: ChatAnswer;
  /** False for a request without a message, such as a login. */
  readonly isMessage?: boolean;
  readonly refused?: string;
}

export type Judge = (request: ChatRequest) => Verdict;

/** The vendor's rate limit: accepts `most` messages, and gives each further one this answer. */
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
  | { readonly kind: 'reset' | 'hang' }
  /** The head of an answer and only the beginning of its body. */
  | { readonly kind: 'cut'; readonly status: number }
  /** The right answer, once the promise of `until`, called then, has resolved. */
  | { readonly kind: 'delay'; readonly until: () => Promise<unknown> };

export type ChatStandIn = Awaited<ReturnType<typeof startChatStandIn>>;

/** `accepted`: the requests in the order in which they came; `faults` of the next ones, first in, first out. */
export async function startChatStandIn(judge: Judge) {
  const [accepted, refusals, faults] = [[] as ChatRequest[], [] as string[], [] as ChatFault[]];
  const take = (request: ChatRequest): ChatAnswer => {
    const { answer, refused, isMessage = request.method !== 'GET' } = judge(request);
    if (refused !== undefined) refusals.push(refused);
    else if (isMessage && answer.status < 300) accepted.push(request);
    // A failure quotes the body, so that the author of a channel reads what is wrong with its message.
    return refused === undefined || answer.status < 300 ? answer : { body: refused, ...answer };
  };
  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = requestOf(incoming, await readText(incoming));
    const fault = faults.shift();
    if (fault?.kind === 'delay') await fault.until();
    else if (fault !== undefined) return failWith(response, fault);
    return answerWith(response, take(request));
  };
  const server = createServer(
    (asked, response) => void handle(asked, response).catch(() => response.destroy()),
  );
  const { host, close } = await onLoopback(server);
  return { origin: `http://${host}`, accepted, refusals, faults, close };
}

function failWith(response: ServerResponse, fault: Exclude<ChatFault, { kind: 'delay' }>): void {
  if (fault.kind === 'answer') return answerWith(response, fault);
  if (fault.kind === 'reset') response.socket?.resetAndDestroy();
  if (fault.kind !== 'cut') return;
  response.writeHead(fault.status, { 'content-length': '100' });
  response.write('{"ok":', () => response.destroy());
}

function requestOf({ method = '', url = '/', headers }: IncomingMessage, body: string) {
  const { pathname, searchParams } = new URL(url, 'http://stand-in');
  return { method, path: pathname, query: searchParams, headers, body };
}

function answerWith(response: ServerResponse, { status, headers = {}, body = '' }: ChatAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

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
