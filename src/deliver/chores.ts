/** The only loop: whatever Botbell does by itself, one piece of work after the other, each when its time has come. */
import type { Clock } from '../time/clock.ts';

export interface Chore {
  readonly everyMs: number;
  /** @returns true: there is more to do at once @throws {LedgerUnavailable} */
  readonly work: () => Promise<boolean | void>;
}

/** Between two steps of one chore, so that callbacks get their turn. */
const PAUSE_MS = 50;

export interface ChoresDependencies {
  readonly clock: Pick<Clock, 'monotonic' | 'startTimer'>;
  /** The ledger could not be used: once when that begins, and once when it is over. */
  readonly onTrouble: (error: unknown) => void;
  readonly onRecovered: () => void;
}

export class Chores {
  readonly #dependencies: ChoresDependencies;
  /** By the monotonic clock. */
  readonly #dueAt = new Map<Chore, number>();
  readonly #failing = new Set<Chore>();
  #round: Promise<void> | undefined;
  #stopTimer = () => {};
  #isStopped = false;

  constructor(dependencies: ChoresDependencies) {
    this.#dependencies = dependencies;
  }

  /** @param chores in the order in which they are done where several are due */
  start(chores: readonly Chore[]): void {
    for (const chore of chores) this.#dueAt.set(chore, -Infinity);
    this.#schedule();
  }

  /** It need not wait for its time. */
  hurry(chore: Chore): void {
    if (!this.#dueAt.has(chore)) return;
    this.#dueAt.set(chore, -Infinity);
    this.#schedule();
  }

  /** Begins nothing more; resolves when what is being done is through. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopTimer();
    await this.#round;
  }

  #schedule(): void {
    const { clock } = this.#dependencies;
    this.#stopTimer();
    if (this.#isStopped || this.#round !== undefined) return;
    const waitMs = Math.max(0, Math.min(...this.#dueAt.values()) - clock.monotonic());
    this.#stopTimer = clock.startTimer(waitMs, () => void this.#goRound());
  }

  /** A timer may fire a fraction early, and then nothing is due yet: only here does a round end. */
  async #goRound(): Promise<void> {
    this.#round = this.#doWhatIsDue();
    await this.#round;
    this.#round = undefined;
    this.#schedule();
  }

  async #doWhatIsDue(): Promise<void> {
    const { clock } = this.#dependencies;
    for (const [chore, dueAt] of this.#dueAt) {
      if (this.#isStopped || dueAt > clock.monotonic()) continue;
      // A store that hangs would have each wait, and the first ones come last.
      if (!(await this.#do(chore))) break;
    }
  }

  /** @returns whether the ledger could be used */
  async #do(chore: Chore): Promise<boolean> {
    const { clock, onTrouble, onRecovered } = this.#dependencies;
    this.#dueAt.set(chore, clock.monotonic() + chore.everyMs);
    try {
      if ((await chore.work()) === true) this.#dueAt.set(chore, clock.monotonic() + PAUSE_MS);
      if (this.#failing.delete(chore) && this.#failing.size === 0) onRecovered();
      return true;
    } catch (error) {
      if (this.#failing.size === 0) onTrouble(error);
      this.#failing.add(chore);
      return false;
    }
  }
}
