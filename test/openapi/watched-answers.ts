/** Has every answer that a test gets from a listener checked against the OpenAPI document of that listener. */
import { Agent, type Dispatcher, setGlobalDispatcher } from 'undici';
import { type Answer, checkAnswer } from './answer-check.ts';
import { type ApiDocument, type Listener, readDocument } from './document.ts';

/** What a listener has answered that its document does not describe. */
export class UndescribedAnswer extends Error {
  override readonly name = 'UndescribedAnswer';
}

/** For who expects connections to break: nothing is known of an answer then. @throws {UndescribedAnswer} */
export function unlessUndescribed(error: unknown): undefined {
  if (error instanceof UndescribedAnswer) throw error;
}

export interface Watch {
  /** What of the document has been seen up to now, each as `POST /callbacks 200`. */
  readonly seen: ReadonlySet<string>;
  stop(): void;
}

interface Watched {
  readonly document: ApiDocument;
  readonly seen: Set<string>;
  readonly documentPath: (path: string) => string;
}

const watched = new Map<number, Watched>();
const documents = new Map<Listener, ApiDocument>();

/**
 * From now on, a request to that port by undici (not by the platform's `fetch`) fails where its answer is not as the
 * document says. What other clients get can be handed to `expectDescribed`.
 * @param callbacksPath `receiver.path`
 */
export function watchAnswers(listener: Listener, port: number, callbacksPath = '/callbacks'): Watch {
  intercept();
  const entry: Watched = {
    document: documentOf(listener),
    seen: new Set(),
    documentPath: (path) => documentPathOf(path, callbacksPath),
  };
  watched.set(port, entry);
  return {
    seen: entry.seen,
    stop: () => {
      if (watched.get(port) === entry) watched.delete(port);
    },
  };
}

function documentOf(listener: Listener): ApiDocument {
  const document = documents.get(listener) ?? readDocument(listener);
  documents.set(listener, document);
  return document;
}

/** The document has the default of `receiver.path`. */
function documentPathOf(path: string, callbacksPath: string): string {
  const isBelow = path === callbacksPath || path.startsWith(`${callbacksPath}/`);
  return isBelow ? `/callbacks${path.slice(callbacksPath.length)}` : path;
}

/** @throws {UndescribedAnswer} of a port that is watched */
export function expectDescribed(port: number, answer: Answer): void {
  const fault = faultOf(watched.get(port), answer);
  if (fault !== undefined) throw fault;
}

function faultOf(entry: Watched | undefined, answer: Answer): UndescribedAnswer | undefined {
  if (entry === undefined) return undefined;
  const { faults, seen } = checkAnswer(entry.document, answer, entry.documentPath);
  for (const each of seen) entry.seen.add(each);
  if (faults.length === 0) return undefined;
  const { method, path, status, body } = answer;
  const beginning = Buffer.from(body).toString('utf8').slice(0, 500);
  return new UndescribedAnswer(
    `docs/openapi/${entry.document.name}.yaml does not describe the answer ${status} to ${method} ${path}:\n  ${faults.join('\n  ')}\n${beginning}`,
  );
}

let isIntercepting = false;

function intercept(): void {
  if (isIntercepting) return;
  isIntercepting = true;
  const checking: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    const entry = watched.get(Number(new URL(String(options.origin)).port));
    return dispatch(options, entry === undefined ? handler : checkedBy(entry, options, handler));
  };
  setGlobalDispatcher(new Agent().compose(checking));
}

/** Hands on what comes; an answer that is not as the document says ends in an error. */
function checkedBy(
  entry: Watched,
  { method, path }: Pick<Dispatcher.DispatchOptions, 'method' | 'path'>,
  handler: Dispatcher.DispatchHandler,
): Dispatcher.DispatchHandler {
  let head: Pick<Answer, 'status' | 'headers'> = { status: 0, headers: {} };
  const pieces: Buffer[] = [];
  return {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onRequestUpgrade: (...upgrade) => handler.onRequestUpgrade?.(...upgrade),
    onResponseStart: (controller, status, headers, message) => {
      head = { status, headers };
      handler.onResponseStart?.(controller, status, headers, message);
    },
    onResponseData: (controller, piece) => {
      pieces.push(piece);
      handler.onResponseData?.(controller, piece);
    },
    onResponseEnd: (controller, trailers) => {
      const fault = faultOf(entry, { ...head, method, path, body: Buffer.concat(pieces) });
      if (fault === undefined) handler.onResponseEnd?.(controller, trailers);
      else handler.onResponseError?.(controller, fault);
    },
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  };
}
