/** Open pages hear over server-sent events that something has changed, and nothing else; they ask for what by themselves. */
import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import { HttpProblem } from '../../http/problem.ts';
import type { Clock } from '../../time/clock.ts';
import type { Changes } from './changes.ts';

/** Pages open at once, in all browsers together. */
const MOST_STREAMS = 50;

/** Proxies close connections on which nothing comes for a minute or less. */
const COMMENT_EVERY_MS = 15_000;

/** Browsers try again by themselves after so long. */
const RETRY_MS = 5000;

/** The data is empty, and has to be there: without it browsers drop the event. */
const CHANGED = 'event: changed\ndata:\n\n';
const COMMENT = ':\n\n';

export interface EventStreamsOptions {
  readonly clock: Pick<Clock, 'startTimer'>;
  readonly changes: Changes;
  readonly mostStreams?: number;
}

export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #open = new Set<ServerResponse>();
  #isClosed = false;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#open.size;
  }

  /** @throws {HttpProblem} too many, or shutting down */
  serve(ctx: Context): void {
    const { mostStreams = MOST_STREAMS } = this.#options;
    if (this.#isClosed) throw busy('Botbell is shutting down.');
    if (this.#open.size >= mostStreams) throw busy(`${mostStreams} pages are open live: close one of them.`);
    ctx.status = 200;
    ctx.type = 'text/event-stream; charset=utf-8';
    // nginx would hold back what is short.
    ctx.set({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no', 'X-Content-Type-Options': 'nosniff' });
    if (ctx.method === 'HEAD') return;
    // As a body, each page that is closed would be an error to koa.
    ctx.respond = false;
    this.#stream(ctx.res);
  }

  /** Before the listener closes, which would wait for them. */
  close(): void {
    this.#isClosed = true;
    for (const stream of this.#open) stream.end();
  }

  #stream(stream: ServerResponse): void {
    this.#open.add(stream);
    // Who does not read gets it when they do: one event says as much as many.
    const write = (text: string) => {
      if (!stream.writableNeedDrain && !stream.writableEnded) stream.write(text);
    };
    const stopListening = this.#options.changes.listen(() => write(CHANGED));
    const stopComments = this.#comment(write);
    stream.once('close', () => {
      this.#open.delete(stream);
      stopListening();
      stopComments();
    });
    write(`retry: ${RETRY_MS}\n\n`);
  }

  #comment(write: (text: string) => void): () => void {
    const { clock } = this.#options;
    let stop = () => {};
    const next = () => {
      stop = clock.startTimer(COMMENT_EVERY_MS, () => {
        write(COMMENT);
        next();
      });
    };
    next();
    return () => stop();
  }
}

function busy(detail: string): HttpProblem {
  return new HttpProblem({ status: 503, detail, headers: { 'Retry-After': '30' } });
}
