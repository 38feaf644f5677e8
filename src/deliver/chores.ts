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
  readonly clock: Clock;
  /** The ledger could not be used: once when that begins, and once when it is over. */
  readonly onTrouble: (error: unknown) => void;
  readonly onRecovered: () => void;
}

export class Chores {
  readonly #dependencies: ChoresDependencies;
  /** When each is due, by the monotonic clock; Infinity while it is being done. */
  readonly #dueAt = new Map<Chore, number>();
  readonly #doing = new Set<Chore>();
  readonly #failing = new Set<Chore>();
  readonly #underWay = new UnderWay();
  #isStarted = false;
  #stopTimer = () => {};

  constructor(dependencies: ChoresDependencies) {
    this.#dependencies = dependencies;
  }

  start(chores: readonly Chore[]): void {
    for (const chore of chores) this.#dueAt.set(chore, -Infinity);
    this.#isStarted = true;
    this.#tick();
  }

  /** It need not wait for its time. */
  hurry(chore: Chore): void {
    if (!this.#isStarted) return;
    this.#dueAt.set(chore, -Infinity);
    this.#tick();
  }

  /** Begins nothing more; resolves when what is being done is through. */
  stop(): Promise<void> {
    this.#isStarted = false;
    this.#stopTimer();
    return this.#underWay.idle();
  }

  #tick(): void {
    this.#stopTimer();
    if (!this.#isStarted) return;
    const now = this.#dependencies.clock.monotonic();
    for (const [chore, dueAt] of this.#dueAt)
      if (dueAt <= now && !this.#doing.has(chore)) this.#underWay.until(this.#do(chore));
    const idle = [...this.#dueAt].filter(([chore]) => !this.#doing.has(chore));
    const next = Math.min(...idle.map(([, dueAt]) => dueAt));
    if (next === Infinity) return;
    this.#stopTimer = this.#dependencies.clock.startTimer(next - now, () => this.#tick());
  }

  async #do(chore: Chore): Promise<void> {
    this.#doing.add(chore);
    this.#dueAt.set(chore, Infinity);
    let isMore = false;
    try {
      isMore = await chore.work();
      this.#noteSuccess(chore);
    } catch (error) {
      this.#noteTrouble(chore, error);
    }
    this.#doing.delete(chore);
    const now = this.#dependencies.clock.monotonic();
    // It may have been hurried meanwhile.
    const dueAt = Math.min(this.#dueAt.get(chore) ?? Infinity, now + (isMore ? PAUSE_MS : chore.everyMs));
    this.#dueAt.set(chore, dueAt);
    this.#tick();
  }

  #noteTrouble(chore: Chore, error: unknown): void {
    if (this.#failing.size === 0) this.#dependencies.onTrouble(error);
    this.#failing.add(chore);
  }

  #noteSuccess(chore: Chore): void {
    if (this.#failing.delete(chore) && this.#failing.size === 0) this.#dependencies.onRecovered();
  }
}
