/** The loop that does whatever Botbell does by itself: one chore after the other, each when it is due. */
import type { Clock } from '../time/clock.ts';

export interface Chore {
  readonly everyMs: number;
  /** @returns true: there is more to do at once @throws {LedgerUnavailable} */
  readonly work: () => Promise<boolean | void>;
}

/** Wait between two steps of one chore, so that callbacks get their turn. */
const PAUSE_MS = 50;

export interface ChoresDependencies {
  readonly clock: Pick<Clock, 'monotonic' | 'startTimer'>;
  /** Called once when chores begin to fail; `onRecovered`, once when none fails any more. */
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

  /** @param chores in the order in which they run if several are due */
  start(chores: readonly Chore[]): void {
    for (const chore of chores) this.#dueAt.set(chore, -Infinity);
    this.#schedule();
  }

  /** Makes the chore due now. */
  hurry(chore: Chore): void {
    if (!this.#dueAt.has(chore)) return;
    this.#dueAt.set(chore, -Infinity);
    this.#schedule();
  }

  /** Begins no further chore; resolves when the running one has ended. */
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

  /** A timer may fire slightly early, so that nothing is due yet: the round then only sets the timer again. */
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
      // While the ledger hangs, each chore would wait for its timeout and delay the more urgent ones of the next round.
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
