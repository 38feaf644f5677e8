/** Documents that frames of a page ask for a moment after it, kept in memory under the hash of what is in them. */
import { createHash } from 'node:crypto';
import type { Clock } from '../time/clock.ts';

/** A page may lie open for a while before its frames are scrolled to. */
const KEPT_MS = 10 * 60_000;

/** Characters of all of them together, and how many there may be. */
const MOST_CHARACTERS = 16 * 1024 * 1024;
const MOST_DOCUMENTS = 1000;

interface Kept {
  readonly document: string;
  readonly until: number;
}

export class KeptDocuments {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** The oldest first. */
  readonly #kept = new Map<string, Kept>();
  #characters = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** @returns the key to ask for it by */
  keep(document: string): string {
    const key = createHash('sha256').update(document).digest('hex');
    this.#forget(key);
    this.#kept.set(key, { document, until: this.#clock.monotonic() + KEPT_MS });
    this.#characters += document.length;
    this.#makeRoom();
    return key;
  }

  /** Undefined: forgotten, or never there. */
  documentOf(key: string): string | undefined {
    this.#forgetOld();
    return this.#kept.get(key)?.document;
  }

  #makeRoom(): void {
    this.#forgetOld();
    for (const key of this.#kept.keys()) {
      if (this.#characters <= MOST_CHARACTERS && this.#kept.size <= MOST_DOCUMENTS) return;
      this.#forget(key);
    }
  }

  #forgetOld(): void {
    const now = this.#clock.monotonic();
    for (const [key, { until }] of this.#kept) {
      if (until > now) return;
      this.#forget(key);
    }
  }

  #forget(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#characters -= kept.document.length;
  }
}
