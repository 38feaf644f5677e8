/** What a config was read from: which files, and whether reading them again would give the same. */
import { hash } from 'node:crypto';
import { statSync } from 'node:fs';

export class Readings {
  readonly #taken = new Map<string, { readonly again: () => unknown; readonly digest: string }>();

  /**
   * What can be read only once, such as a pipe, is taken as it was.
   * @throws {Error} what `read` throws, which is remembered as well
   */
  file<T>(path: string, read: (path: string) => T): T {
    if (isStream(path)) return read(path);
    return this.#take(`file ${path}`, () => readableAgain(path, read));
  }

  /** @param what tells apart different readings of the same folder */
  folder<T>(path: string, what: string, read: (path: string) => T): T {
    return this.#take(`${what} ${path}`, () => read(path));
  }

  /** A digest of all of it, read again. */
  again(): string {
    return [...this.#taken.values()].map(({ again }) => digestOf(outcomeOf(again))).join();
  }

  /** @param found what it reads now */
  areCurrent(found = this.again()): boolean {
    return found === [...this.#taken.values()].map(({ digest }) => digest).join();
  }

  #take<T>(key: string, read: () => T): T {
    const outcome = outcomeOf(read);
    this.#taken.set(key, { again: read, digest: digestOf(outcome) });
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }
}

/** A process that reads a pipe nobody writes to stands still. @throws {Error} it is no file, or what `read` throws */
export function readableAgain<T>(path: string, read: (path: string) => T): T {
  if (isStream(path)) throw Object.assign(new Error(`${path} is no file`), { code: 'ESPIPE' });
  return read(path);
}

/** A pipe or a device; false for a file, a folder, and where there is nothing. */
function isStream(path: string): boolean {
  try {
    const found = statSync(path);
    return !found.isFile() && !found.isDirectory();
  } catch {
    return false;
  }
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
