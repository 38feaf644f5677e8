/** Chance that is the same for the same seed: every attack is made of a seed and its index, and can be made again. */
import { seededRandom } from '../support/proof-wait.ts';

export class Chance {
  readonly #next: () => number;

  /** @param parts e.g. the run's seed, an attack's index and what the chance is for */
  constructor(...parts: readonly (string | number)[]) {
    this.#next = seededRandom(hashOf(parts.join('/')));
  }

  /** In [0, 1). */
  fraction(): number {
    return this.#next();
  }

  /** From `least` to `most`, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.#next() * (most - least + 1));
  }

  /** As `integer`, but as likely between 10 and 100 as between 10,000 and 100,000. */
  magnitude(least: number, most: number): number {
    const [low, high] = [Math.log(least), Math.log(most)];
    return Math.round(Math.exp(low + this.#next() * (high - low)));
  }

  is(probability: number): boolean {
    return this.#next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length - 1)] as Item;
  }

  /** @param weighted what, and how often for each time that one of weight 1 comes */
  weighted<Item>(weighted: readonly (readonly [number, Item])[]): Item {
    let left = this.#next() * weighted.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of weighted) {
      left -= weight;
      if (left < 0) return item;
    }
    return weighted[0]?.[1] as Item;
  }

  times<Item>(count: number, make: (index: number) => Item): Item[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }

  bytes(length: number): Buffer {
    return Buffer.from(this.times(length, () => this.integer(0, 255)));
  }
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
