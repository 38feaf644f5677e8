/** A steady beat that does not wait for what it sets going. */
import { Worker } from 'node:worker_threads';

export interface Beat {
  /** By `monotonicMs`. */
  readonly startMs: number;
  readonly intervalMs: number;
  readonly count: number;
}

/** Milliseconds by the clock that all threads share, unlike `performance.now()`. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Its thread is plain JavaScript like the subjects: the loader of TypeScript does not reach into threads. */
export class Metronome {
  readonly #thread = new Worker(new URL('subjects/metronome.mjs', import.meta.url));

  /** @param onBeat gets the beat's index when it is due */
  beat(beat: Beat, onBeat: (index: number) => void): Promise<void> {
    return new Promise((resolve) => {
      const onMessage = (index: number) => {
        onBeat(index);
        if (index < beat.count - 1) return;
        this.#thread.off('message', onMessage);
        resolve();
      };
      this.#thread.on('message', onMessage);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      this.#thread.postMessage(beat);
    });
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}
