/** Remembers digests of what a config was read from, to tell whether reading again would give the same. */
import { hash } from 'node:crypto';
import { statSync } from 'node:fs';

export class Readings {
  readonly #taken: { readonly again: () => string; readonly digest: string }[] = [];

  /** Remembers the outcome of `read`, an error included. @throws {Error} what `read` throws */
  take<T>(read: () => T): T {
    const outcome = outcomeOf(read);
    this.#taken.push({ again: () => digestOf(outcomeOf(read)), digest: digestOf(outcome) });
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  /** A stream such as a pipe can be read only once, so it is not remembered. @throws {Error} as `take` */
  file<T>(path: string, read: (path: string) => T): T {
    return isStream(path) ? read(path) : this.take(() => read(path));
  }

  /** Reads everything again. @returns a digest of it all */
  again(): string {
    return this.#taken.map(({ again }) => again()).join();
  }

  /** @param found a digest from `again` */
  areCurrent(found = this.again()): boolean {
    return found === this.#taken.map(({ digest }) => digest).join();
  }
}

/** Whether `path` is a pipe or a device; false if nothing is there. */
function isStream(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

type Outcome<T> = { readonly value: T } | { readonly error: unknown };

function outcomeOf<T>(read: () => T): Outcome<T> {
  try {
    return { value: read() };
  } catch (error) {
    return { error };
  }
}

/** Only the digest is kept, since the text may hold secrets. */
function digestOf(outcome: Outcome<unknown>): string {
  const read = 'error' in outcome ? { error: String(outcome.error) } : outcome;
  return hash('sha256', JSON.stringify(read, withEntries));
}

function withEntries(_key: string, value: unknown): unknown {
  return value instanceof Map ? [...value] : value;
}
