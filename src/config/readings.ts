/** Reads what a config consists of, and remembers digests of it, to tell whether reading again would give the same. */
import { hash } from 'node:crypto';
import { serialize } from 'node:v8';

/** @returns what was read under this name. @throws {Error} what reading it threw */
export type ReadAhead = <T>(name: string, read: () => Promise<T>) => T;

export class Readings {
  readonly #taken: { readonly read: () => Promise<unknown>; readonly digest: string }[] = [];

  /** Remembers the outcome of `read`, an error included. @throws {Error} what `read` throws */
  async take<T>(read: () => Promise<T>): Promise<T> {
    const outcome = await outcomeOf(read);
    this.#taken.push({ read, digest: digestOf(outcome) });
    return valueOf(outcome);
  }

  /**
   * Calls `load`, reads what it asks for, and calls it again until it asks for nothing new, since the config itself names what else is read.
   * @param load treats an error that its argument throws as a file that cannot be read
   * @returns the last call's result
   */
  async ahead<T>(load: (readAhead: ReadAhead) => T): Promise<T> {
    const outcomes = new Map<string, Outcome<unknown>>();
    for (;;) {
      const asked = new Map<string, () => Promise<unknown>>();
      const result = load(<Found>(name: string, read: () => Promise<Found>) => {
        const outcome = outcomes.get(name);
        if (outcome !== undefined) return valueOf(outcome) as Found;
        asked.set(name, read);
        throw new Error('it is read next');
      });
      if (asked.size === 0) return result;
      for (const [name, read] of asked) outcomes.set(name, await outcomeOf(() => this.take(read)));
    }
  }

  /** Reads everything again. @returns a digest of it all */
  async again(): Promise<string> {
    const digests: string[] = [];
    for (const { read } of this.#taken) digests.push(digestOf(await outcomeOf(read)));
    return digests.join();
  }

  /** A digest of what was read, to be compared with the digest of other readings, or with what `again` returns. */
  get digest(): string {
    return this.#taken.map(({ digest }) => digest).join();
  }
}

type Outcome<T> = PromiseSettledResult<T>;

async function outcomeOf<T>(read: () => Promise<T>): Promise<Outcome<T>> {
  const [outcome] = await Promise.allSettled([read()]);
  return outcome;
}

function valueOf<T>(outcome: Outcome<T>): T {
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

/** Only the digest is kept, since the text may hold secrets. */
function digestOf(outcome: Outcome<unknown>): string {
  const read = outcome.status === 'rejected' ? { error: String(outcome.reason) } : outcome;
  return hash('sha256', serialize(read));
}
