/** Has large callbacks read and rendered by a thread of their own, so that they hold up no other callback. */
import { extname } from 'node:path';
import {
  asLargeCallback,
  bulkOf,
  type Callback,
  type CallbackError,
  type CheckedCallback,
  InvalidCallback,
  isLargeBody,
  UnreadCallback,
} from '../callback/callback.ts';
import { decodeBody, UndecodableBody, withoutMark } from '../callback/decode.ts';
import { DeliveryFailure } from '../channels/failure.ts';
import type { ChannelConfig } from '../config/config.ts';
import { isAlert, type Notice } from '../notice/notice.ts';
import type { Renderer, TemplateFailure } from '../render/renderer.ts';
import type { RenderTarget, TemplateSources } from '../render/templates/catalog.ts';
import type { Language } from '../time/display.ts';
import { type Clock, Deadline } from '../time/clock.ts';
import { TaskThread, ThreadEnded } from '../threads/task-thread.ts';

/** Beside this file, in the sources as in the build. */
const ENTRY = new URL(`./large-callback-thread${extname(import.meta.url)}`, import.meta.url);

type TimingClock = Pick<Clock, 'monotonic' | 'startTimer'>;

export class LargeCallbacks {
  readonly #thread: TaskThread<LargeCallbackTask, LargeCallbackAnswer>;
  readonly #clock: TimingClock;
  /** By the JSON, since a callback may be read again. */
  readonly #subjects = new WeakMap<Uint8Array, number>();
  #lastSubject = 0;
  #isClosed = false;

  readonly #onThreadEnded: (error: ThreadEnded) => void;

  /** @param onThreadEnded in the middle of a callback, which must not happen */
  constructor(
    setting: LargeCallbackSetting,
    clock: TimingClock,
    onThreadEnded: (error: ThreadEnded) => void,
  ) {
    this.#thread = new TaskThread({ entry: ENTRY, data: setting });
    this.#clock = clock;
    this.#onThreadEnded = onThreadEnded;
  }

  /**
   * @returns its fields without output and message, and all of it as JSON, without a byte order mark
   * @throws {UndecodableBody}
   * @throws {InvalidCallback}
   * @throws {UnreadCallback} when there was no time for it
   */
  async read(bytes: Uint8Array, withinMs: number): Promise<CheckedCallback & { readonly body: Uint8Array }> {
    const json = withoutMark(bytes);
    const answer = await this.#read('check', json, withinMs);
    if (answer.kind === 'checked')
      return { callback: withBulk(answer, json), startedAt: answer.startedAt, body: json };
    if (answer.kind === 'undecodable') throw new UndecodableBody(answer.detail);
    if (answer.kind === 'invalid') throw new InvalidCallback(answer.errors);
    throw unread(detailOf(answer));
  }

  /**
   * A callback that the ledger has kept; here where it is small.
   * @throws {UnreadCallback} when there was no time for it
   */
  async readAgain(json: Uint8Array, withinMs: number): Promise<Callback> {
    if (!isLargeBody(json)) return decodeBody(json).value as Callback;
    const answer = await this.#read('read', json, withinMs);
    if (answer.kind === 'read') return withBulk(answer, json);
    throw unread(detailOf(answer));
  }

  /** @throws {UnreadCallback} */
  async #read(kind: ReadTask['kind'], json: Uint8Array, withinMs: number): Promise<LargeCallbackAnswer> {
    const task = { kind, subject: this.#subjectOf(json), json };
    return this.#ask(task, withinMs).catch((error: unknown) => {
      throw unread(error);
    });
  }

  /**
   * The message of a callback that `read` has read.
   * @throws {DeliveryFailure} when there was no time for it
   */
  async render(
    { withinMs, ...order }: Omit<RenderTask, 'kind' | 'subject'> & { readonly withinMs: number },
    onFailure: (failure: TemplateFailure) => void,
  ): Promise<unknown> {
    const task = { kind: 'render', subject: this.#subjectOf(order.json), ...order } as const;
    const answer = await this.#ask(task, withinMs).catch((error: unknown) => {
      throw unrendered('there was no time for it', error);
    });
    if (answer.kind !== 'rendered') throw unrendered(detailOf(answer));
    for (const failure of answer.failures) onFailure(failure);
    return answer.message;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#thread.close();
  }

  async #ask(task: LargeCallbackTask, withinMs: number): Promise<LargeCallbackAnswer> {
    const { subject, json } = task;
    const deadline = new Deadline(this.#clock, withinMs);
    try {
      return await this.#thread.run(task, { subject, size: json.byteLength, deadline });
    } catch (error) {
      if (error instanceof ThreadEnded && !this.#isClosed) this.#onThreadEnded(error);
      throw error;
    }
  }

  #subjectOf(json: Uint8Array): number {
    const known = this.#subjects.get(json);
    if (known !== undefined) return known;
    this.#lastSubject += 1;
    this.#subjects.set(json, this.#lastSubject);
    return this.#lastSubject;
  }
}

function detailOf(answer: LargeCallbackAnswer): string {
  return 'detail' in answer ? answer.detail : answer.kind;
}

type Read = Extract<LargeCallbackAnswer, { readonly kind: 'read' | 'checked' }>;

function withBulk({ callback, identity }: Read, json: Uint8Array): Callback {
  return asLargeCallback(callback, { json, identity });
}

/** The service is told no more than this. */
function unread(cause: unknown): UnreadCallback {
  return new UnreadCallback('Too many large callbacks are being read at once', { cause });
}

function unrendered(why: string, cause?: unknown): DeliveryFailure {
  const message = `the message of this large callback could not be made: ${why}`;
  return new DeliveryFailure({ class: 'transient', code: 'not_rendered', message }, { cause });
}

/** It comes on top of the time limit of an attempt, and must fit into the margin that a claim has beyond that: 5 s. */
const MOST_RENDER_MS = 4000;

interface ComposerParts {
  readonly renderer: Pick<Renderer, 'render'>;
  readonly largeCallbacks: Pick<LargeCallbacks, 'render'>;
  readonly onFailure: (failure: TemplateFailure) => void;
}

/** The returned function gives the message, or a promise of it, which rejects with a {DeliveryFailure}. */
export function createComposer({ renderer, largeCallbacks, onFailure }: ComposerParts) {
  return (notice: Notice, target: RenderTarget): unknown => {
    const bulk = isAlert(notice) ? undefined : bulkOf(notice.callback);
    if (isAlert(notice) || bulk === undefined) return renderer.render(notice, target, onFailure);
    const { startedAt, timesReceived, delayedMs } = notice;
    const times = { startedAt, timesReceived, delayedMs };
    const order = { json: bulk.json, ...times, target, withinMs: MOST_RENDER_MS };
    return largeCallbacks.render(order, onFailure);
  };
}

/** With which the thread is started. */
export interface LargeCallbackSetting {
  readonly templates: TemplateSources;
  readonly channels: ReadonlyMap<string, ChannelConfig>;
}

interface OfCallback {
  /** The same for every task about the same callback. */
  readonly subject: number;
  /** All of it, in UTF-8. */
  readonly json: Uint8Array;
}

interface ReadTask extends OfCallback {
  /** What the ledger has was checked when it came. */
  readonly kind: 'check' | 'read';
}

export interface RenderTask extends OfCallback {
  readonly kind: 'render';
  readonly startedAt: number;
  readonly timesReceived: number;
  readonly delayedMs?: number | undefined;
  readonly target: RenderTarget;
  /** Another one than the display's. */
  readonly language?: Language | undefined;
}

export type LargeCallbackTask = ReadTask | RenderTask;

export type LargeCallbackAnswer =
  | ({ readonly kind: 'checked'; readonly identity: string } & CheckedCallback)
  | { readonly kind: 'read'; readonly identity: string; readonly callback: Callback }
  /** No JSON. */
  | { readonly kind: 'undecodable'; readonly detail: string }
  | { readonly kind: 'invalid'; readonly errors: readonly CallbackError[] }
  | { readonly kind: 'rendered'; readonly message: unknown; readonly failures: readonly TemplateFailure[] }
  | { readonly kind: 'failed'; readonly detail: string };
