/** At most one line a second for each reason: a sender that is turned away again and again must not fill the disk. */
import type { Clock } from '../time/clock.ts';

const WINDOW_MS = 1000;

/** Reasons are ours, so they are few; what would be one more than this shares the place of all others. */
const MOST_REASONS = 100;

interface Window<Line> {
  latest: Line | undefined;
  /** Since the last line of this reason. */
  count: number;
  readonly stopTimer: () => void;
}

export class LineLimit<Line> {
  readonly #clock: Pick<Clock, 'startTimer'>;
  readonly #write: (line: Line, notLogged: number) => void;
  readonly #windows = new Map<string, Window<Line>>();

  /** @param write gets the latest line of a reason, and how many more of it were not written since the one before */
  constructor(clock: Pick<Clock, 'startTimer'>, write: (line: Line, notLogged: number) => void) {
    this.#clock = clock;
    this.#write = write;
  }

  /** The first of a reason is written at once, of those within a second after it the latest at its end. */
  say(reason: string, line: Line): void {
    const key = this.#windows.has(reason) || this.#windows.size < MOST_REASONS ? reason : '';
    const window = this.#windows.get(key);
    if (window === undefined) {
      this.#open(key);
      this.#write(line, 0);
      return;
    }
    window.latest = line;
    window.count += 1;
  }

  /** Writes what is held back, and ends all windows. */
  close(): void {
    for (const [reason, { stopTimer }] of this.#windows) {
      stopTimer();
      this.#end(reason);
    }
  }

  #open(reason: string): void {
    const stopTimer = this.#clock.startTimer(WINDOW_MS, () => {
      if (this.#end(reason)) this.#open(reason);
    });
    this.#windows.set(reason, { latest: undefined, count: 0, stopTimer });
  }

  /** @returns whether a line was written */
  #end(reason: string): boolean {
    const window = this.#windows.get(reason);
    this.#windows.delete(reason);
    if (window?.latest === undefined) return false;
    this.#write(window.latest, window.count - 1);
    return true;
  }
}
