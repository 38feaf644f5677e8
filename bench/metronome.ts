/** A steady beat that does not wait for the work that it starts. */
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

/** The thread's file is plain JavaScript, since the TypeScript loader does not work in threads. */
export class Metronome {
  readonly #thread = new Worker(new URL('subjects/metronome.mjs', import.meta.url));

  /** @param onBeat called with each beat's index when the beat is due */
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
