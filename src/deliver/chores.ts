/** What Botbell does by itself at intervals: each chore in a loop of its own, so that one that fails or hangs holds up no other. */
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

/** One chore's next step. `dueAt`: by the monotonic clock. */
interface Loop {
  dueAt: number;
  step: Promise<void> | undefined;
  stopTimer: () => void;
}

export class Chores {
  readonly #dependencies: ChoresDependencies;
  readonly #loops = new Map<Chore, Loop>();
  readonly #failing = new Set<Chore>();
  #isStopped = false;

  constructor(dependencies: ChoresDependencies) {
    this.#dependencies = dependencies;
  }

  start(chores: readonly Chore[]): void {
    for (const chore of chores) {
      this.#loops.set(chore, { dueAt: -Infinity, step: undefined, stopTimer: () => {} });
      this.hurry(chore);
    }
  }

  hurry(chore: Chore): void {
    const loop = this.#loops.get(chore);
    if (loop === undefined) return;
    loop.dueAt = -Infinity;
    this.#schedule(chore, loop);
  }

  /** Begins no further step; resolves when those under way have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const loops = [...this.#loops.values()];
    for (const { stopTimer } of loops) stopTimer();
    await Promise.all(loops.flatMap(({ step }) => step ?? []));
  }

  #schedule(chore: Chore, loop: Loop): void {
    const { clock } = this.#dependencies;
    loop.stopTimer();
    if (this.#isStopped || loop.step !== undefined) return;
    const begin = () => void (loop.step = this.#do(chore, loop));
    loop.stopTimer = clock.startTimer(Math.max(0, loop.dueAt - clock.monotonic()), begin);
  }

  async #do(chore: Chore, loop: Loop): Promise<void> {
    const { clock, onTrouble, onRecovered } = this.#dependencies;
    loop.dueAt = clock.monotonic() + chore.everyMs;
    try {
      if ((await chore.work()) === true) loop.dueAt = Math.min(loop.dueAt, clock.monotonic() + PAUSE_MS);
      if (this.#failing.delete(chore) && this.#failing.size === 0) onRecovered();
    } catch (error) {
      if (this.#failing.size === 0) onTrouble(error);
      this.#failing.add(chore);
    }
    loop.step = undefined;
    this.#schedule(chore, loop);
  }
}
