/** What a config was read from, and whether reading it again would give the same. */
import { hash } from 'node:crypto';
import { statSync } from 'node:fs';

export class Readings {
  readonly #taken: { readonly again: () => string; readonly digest: string }[] = [];

  /** @throws {Error} what `read` throws, which is remembered as well */
  take<T>(read: () => T): T {
    const outcome = outcomeOf(read);
    this.#taken.push({ again: () => digestOf(outcomeOf(read)), digest: digestOf(outcome) });
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  /** What can be read only once, such as a pipe, is taken as it was. @throws {Error} as `take` */
  file<T>(path: string, read: (path: string) => T): T {
    return isStream(path) ? read(path) : this.take(() => read(path));
  }

  /** A digest of all of it, read again. */
  again(): string {
    return this.#taken.map(({ again }) => again()).join();
  }

  /** @param found what it reads now */
  areCurrent(found = this.again()): boolean {
    return found === this.#taken.map(({ digest }) => digest).join();
  }
}

/** A pipe or a device; false for a file, a folder, and where there is nothing. */
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

/** No text of it is kept, which may be a secret. */
function digestOf(outcome: Outcome<unknown>): string {
  const read = 'error' in outcome ? { error: String(outcome.error) } : outcome;
  return hash('sha256', JSON.stringify(read, withEntries));
}

function withEntries(_key: string, value: unknown): unknown {
  return value instanceof Map ? [...value] : value;
}
