/** At most one line in a while for each reason: who is turned away again and again must not fill the disk. */
import type { Clock } from '../time/clock.ts';

/** Reasons are ours, so they are few; what would be one more than this shares the place of all others. */
const MOST_REASONS = 100;

export class LineLimit<Line> {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #everyMs: number;
  readonly #write: (line: Line, notLogged: number) => void;
  readonly #said = new Map<string, { readonly at: number; notLogged: number }>();

  /** @param write gets a line, and how many of its reason were not written since the one before */
  constructor(
    clock: Pick<Clock, 'monotonic'>,
    everyMs: number,
    write: (line: Line, notLogged: number) => void,
  ) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#write = write;
  }

  say(reason: string, line: Line): void {
    const key = this.#said.has(reason) || this.#said.size < MOST_REASONS ? reason : '';
    const before = this.#said.get(key);
    const now = this.#clock.monotonic();
    if (before !== undefined && now < before.at + this.#everyMs) {
      before.notLogged += 1;
      return;
    }
    this.#said.set(key, { at: now, notLogged: 0 });
    this.#write(line, before?.notLogged ?? 0);
  }
}
