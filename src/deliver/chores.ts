/** The only loop: whatever Botbell does by itself, each piece of work when its time has come, none of them twice at once. */
import { type Clock, UnderWay } from '../time/clock.ts';

export interface Chore {
  readonly everyMs: number;
  /** @returns whether there is more to do at once @throws {LedgerUnavailable} */
  readonly work: () => Promise<boolean>;
}

/** Between two steps of one chore, so that callbacks get their turn. */
const PAUSE_MS = 50;

export interface ChoresDependencies {
  readonly clock: Pick<Clock, 'startTimer'>;
  /** The ledger could not be used: once when that begins, and once when it is over. */
  readonly onTrouble: (error: unknown) => void;
  readonly onRecovered: () => void;
}

interface Standing {
  isBeingDone: boolean;
  /** It was hurried while it was being done. */
  isHurried: boolean;
  stopTimer: () => void;
}

export class Chores {
  readonly #dependencies: ChoresDependencies;
  readonly #standings = new Map<Chore, Standing>();
  readonly #failing = new Set<Chore>();
  readonly #underWay = new UnderWay();
  #isStopped = false;

  constructor(dependencies: ChoresDependencies) {
    this.#dependencies = dependencies;
  }

  start(chores: readonly Chore[]): void {
    for (const chore of chores)
      this.#standings.set(chore, { isBeingDone: false, isHurried: false, stopTimer: () => {} });
    for (const chore of chores) this.hurry(chore);
  }

  /** It need not wait for its time. */
  hurry(chore: Chore): void {
    const standing = this.#standings.get(chore);
    if (standing === undefined || this.#isStopped) return;
    standing.isHurried = standing.isBeingDone;
    standing.stopTimer();
    if (!standing.isBeingDone) this.#underWay.until(this.#do(chore, standing));
  }

  /** Begins nothing more; resolves when what is being done is through. */
  stop(): Promise<void> {
    this.#isStopped = true;
    for (const { stopTimer } of this.#standings.values()) stopTimer();
    return this.#underWay.idle();
  }

  async #do(chore: Chore, standing: Standing): Promise<void> {
    standing.isBeingDone = true;
    const isMore = await this.#work(chore);
    standing.isBeingDone = false;
    if (this.#isStopped) return;
    if (standing.isHurried) return this.hurry(chore);
    const waitMs = isMore ? PAUSE_MS : chore.everyMs;
    standing.stopTimer = this.#dependencies.clock.startTimer(waitMs, () => this.hurry(chore));
  }

  async #work(chore: Chore): Promise<boolean> {
    const { onTrouble, onRecovered } = this.#dependencies;
    try {
      const isMore = await chore.work();
      if (this.#failing.delete(chore) && this.#failing.size === 0) onRecovered();
      return isMore;
    } catch (error) {
      if (this.#failing.size === 0) onTrouble(error);
      this.#failing.add(chore);
      return false;
    }
  }
}
