/** Goes on with redeliveries in bulk, a little at a time, whichever process they were asked of. */
import type { Actions, BulkStep } from '../ledger/actions/actions.ts';
import type { Clock } from '../time/clock.ts';

/** How often the ledger is asked for one that this process does not know of. */
const LOOK_MS = 1000;

/** Between two steps, so that callbacks get their turn. */
const PAUSE_MS = 50;

export interface BulkRunnerDependencies {
  readonly clock: Clock;
  readonly actions: Pick<Actions, 'continueBulk'>;
  /** Something may be due. */
  readonly onDue: () => void;
  readonly onBulkEnded: (ended: NonNullable<BulkStep['ended']>) => void;
  /** The store could not be used: once until it can be again. */
  readonly onTrouble: (error: unknown) => void;
}

export class BulkRunner {
  readonly #dependencies: BulkRunnerDependencies;
  readonly #stopped = new AbortController();
  #nap = new AbortController();
  #isTroubled = false;
  #run: Promise<void> | undefined;

  constructor(dependencies: BulkRunnerDependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    this.#run ??= this.#loop();
  }

  /** One has begun, or was stopped: no need to wait for the next look. */
  nudge(): void {
    this.#nap.abort();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#nap.abort();
    await this.#run;
  }

  async #loop(): Promise<void> {
    do this.#nap = new AbortController();
    while (await this.#pause((await this.#step()) ? PAUSE_MS : LOOK_MS));
  }

  /** Never throws: what a step has not committed, the next one does. @returns whether there is more to do */
  async #step(): Promise<boolean> {
    const { actions, onDue, onBulkEnded, onTrouble } = this.#dependencies;
    try {
      const { isMore, given, withdrawn, ended } = await actions.continueBulk();
      this.#isTroubled = false;
      // What waited for a message that is withdrawn is its job's next.
      if (given > 0 || withdrawn > 0) onDue();
      if (ended !== undefined) onBulkEnded(ended);
      return isMore;
    } catch (error) {
      if (!this.#isTroubled) onTrouble(error);
      this.#isTroubled = true;
      return false;
    }
  }

  /** @returns whether to go on */
  async #pause(ms: number): Promise<boolean> {
    if (!this.#stopped.signal.aborted)
      await this.#dependencies.clock.sleep(ms, this.#nap.signal).catch(() => undefined);
    return !this.#stopped.signal.aborted;
  }
}
