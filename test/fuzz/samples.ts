/** What the program was doing while somebody waited: samples of its CPU, and of how well this process itself was served. */
import type { Target } from './target.ts';

const EVERY_MS = 100;

interface Sample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly cpuMs: number;
  /** Behind when it was due. */
  readonly lateMs: number;
}

export class Samples {
  readonly #target: Pick<Target, 'cpuMs' | 'rss'>;
  readonly #samples: Sample[] = [];
  readonly #timer: NodeJS.Timeout;

  /** @param onSample gets the bytes that the program takes */
  constructor(target: Pick<Target, 'cpuMs' | 'rss'>, onSample: (rss: number) => void) {
    this.#target = target;
    this.#timer = setInterval(() => onSample(this.#sample()), EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** What the thread that answers had of a core in that time; a sample more on either side. */
  cpuMs(at: number, ms: number): number {
    const before = this.#samples.findLast((sample) => sample.at <= at);
    const after = this.#samples.find((sample) => sample.at >= at + ms) ?? this.#samples.at(-1);
    return before === undefined || after === undefined ? 0 : after.cpuMs - before.cpuMs;
  }

  /** How long this process, on the same core and no less polite, did not get to run though it wanted to. */
  starvedMs(at: number, ms: number): number {
    return this.#samples
      .filter((sample) => sample.at >= at && sample.at <= at + ms + EVERY_MS)
      .reduce((sum, { lateMs }) => sum + lateMs, 0);
  }

  #sample(): number {
    const at = Date.now();
    const lateMs = Math.max(0, at - (this.#samples.at(-1)?.at ?? at) - EVERY_MS);
    const rss = this.#target.rss();
    this.#samples.push({ at, cpuMs: this.#target.cpuMs(), lateMs });
    return rss;
  }
}
