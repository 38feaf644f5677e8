/** Has messages of large callbacks rendered by a thread of their own, so that they hold up no other callback. */
import { extname } from 'node:path';
import type { ChannelConfig } from '../config/config.ts';
import { DeliveryFailure } from '../channels/failure.ts';
import { type CallbackNotice, isAlert, type Notice } from '../notice/notice.ts';
import type { Renderer, TemplateFailure } from '../render/renderer.ts';
import type { RenderTarget, TemplateSources } from '../render/templates/catalog.ts';
import type { Language } from '../time/display.ts';
import { type Clock, Deadline } from '../time/clock.ts';
import { TaskThread, ThreadEnded } from '../threads/task-thread.ts';

/** Beside this file, in the sources as in the build. */
const ENTRY = new URL(`./large-callback-thread${extname(import.meta.url)}`, import.meta.url);

/** It comes on top of the time limit of an attempt, and must fit into the margin that a claim has beyond that: 5 s. */
const MOST_RENDER_MS = 4000;

/** With which the thread is started. */
export interface LargeCallbackSetting {
  readonly templates: TemplateSources;
  readonly channels: ReadonlyMap<string, ChannelConfig>;
}

export interface RenderTask {
  /** The same for every message about the same callback. */
  readonly subject: number;
  /** All of the callback, in UTF-8. */
  readonly json: Uint8Array;
  readonly told: Pick<CallbackNotice, 'startedAt' | 'timesReceived' | 'delayedMs'>;
  readonly target: RenderTarget;
  /** Another one than the display's. */
  readonly language?: Language | undefined;
}

export type RenderAnswer =
  { readonly message: unknown; readonly failures: readonly TemplateFailure[] } | { readonly failed: string };

type TimingClock = Pick<Clock, 'monotonic' | 'startTimer'>;

export class LargeCallbacks {
  readonly #thread: TaskThread<RenderTask, RenderAnswer>;
  readonly #clock: TimingClock;
  readonly #subjects = new WeakMap<Uint8Array, number>();
  readonly #onThreadEnded: (error: ThreadEnded) => void;
  #lastSubject = 0;
  #isClosed = false;

  /** @param onThreadEnded in the middle of a message, which must not happen */
  constructor(
    setting: LargeCallbackSetting,
    clock: TimingClock,
    onThreadEnded: (error: ThreadEnded) => void,
  ) {
    this.#thread = new TaskThread({ entry: ENTRY, data: setting });
    this.#clock = clock;
    this.#onThreadEnded = onThreadEnded;
  }

  /** @throws {DeliveryFailure} when there was no time for it */
  async render(
    { body: json, startedAt, timesReceived, delayedMs }: CallbackNotice & { readonly body: Uint8Array },
    where: Pick<RenderTask, 'target' | 'language'>,
    onFailure: (failure: TemplateFailure) => void,
  ): Promise<unknown> {
    const subject = this.#subjectOf(json);
    const told = { startedAt, timesReceived, delayedMs };
    const deadline = new Deadline(this.#clock, MOST_RENDER_MS);
    const size = json.byteLength;
    const answer = await this.#thread
      .run({ subject, json, told, ...where }, { subject, size, deadline })
      .catch((error: unknown) => {
        if (error instanceof ThreadEnded && !this.#isClosed) this.#onThreadEnded(error);
        throw unrendered('there was no time for it', error);
      });
    if ('failed' in answer) throw unrendered(answer.failed);
    for (const failure of answer.failures) onFailure(failure);
    return answer.message;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#thread.close();
  }

  #subjectOf(json: Uint8Array): number {
    const known = this.#subjects.get(json);
    if (known !== undefined) return known;
    this.#lastSubject += 1;
    this.#subjects.set(json, this.#lastSubject);
    return this.#lastSubject;
  }
}

function unrendered(why: string, cause?: unknown): DeliveryFailure {
  const message = `the message of this large callback could not be made: ${why}`;
  const japanese = '大きなコールバックのメッセージを作成できませんでした。';
  return new DeliveryFailure({ class: 'transient', code: 'not_rendered', message, japanese }, { cause });
}

/** Makes messages: of a large callback by its thread, as a promise that rejects with a {DeliveryFailure}. */
export type Compose = (
  notice: Notice,
  where: Pick<RenderTask, 'target' | 'language'>,
  onFailure: (failure: TemplateFailure) => void,
) => unknown;

export function createComposer(
  rendererFor: (language: Language | undefined) => Pick<Renderer, 'render'>,
  largeCallbacks: Pick<LargeCallbacks, 'render'>,
): Compose {
  return (notice, where, onFailure) => {
    if (isAlert(notice) || notice.body === undefined)
      return rendererFor(where.language).render(notice, where.target, onFailure);
    return largeCallbacks.render({ ...notice, body: notice.body }, where, onFailure);
  };
}
