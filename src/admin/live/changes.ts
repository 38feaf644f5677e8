/** Says that something has changed, to whoever listens: asked of the store once a second, and only while somebody does. */
import type { Clock } from '../../time/clock.ts';

const LOOK_EVERY_MS = 1000;

/** A store that cannot be read is not asked more often for it. */
const LOOK_AFTER_TROUBLE_MS = 5000;

export interface ChangesOptions {
  readonly clock: Pick<Clock, 'startTimer'>;
  /** Differs where anything has changed, by whichever process. */
  readonly mark: () => Promise<string>;
}

/**
 * Nothing that a callback passes through tells it anything, so that no callback waits for who looks on; what other
 * processes do is seen as well.
 */
export class Changes {
  readonly #options: ChangesOptions;
  readonly #listeners = new Set<() => void>();
  #stopTimer: (() => void) | undefined;
  #isLooking = false;
  #last: string | undefined;

  constructor(options: ChangesOptions) {
    this.#options = options;
  }

  /** @returns ends it */
  listen(onChange: () => void): () => void {
    const listener = () => onChange();
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#begin();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#end();
    };
  }

  #begin(): void {
    this.#last = undefined;
    if (!this.#isLooking) void this.#look();
  }

  #end(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    const mark = await this.#options.mark().catch(() => undefined);
    this.#isLooking = false;
    if (this.#listeners.size === 0) return;
    const isChanged = mark !== undefined && this.#last !== undefined && mark !== this.#last;
    this.#last = mark ?? this.#last;
    this.#stopTimer = this.#options.clock.startTimer(
      mark === undefined ? LOOK_AFTER_TROUBLE_MS : LOOK_EVERY_MS,
      () => void this.#look(),
    );
    if (isChanged) for (const listener of this.#listeners) listener();
  }
}
