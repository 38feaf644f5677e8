/** What was found wrong, each kind once with a few places where to see it. */

export interface Finding {
  readonly what: string;
  /** The attacks under way then: any of them may be its cause. */
  readonly indexes: readonly number[];
}

interface Kind {
  readonly first: Finding;
  count: number;
}

/** Enough to tell a cause from what merely happened at the same time. */
const MOST_INDEXES = 8;

export class Findings {
  readonly #kinds = new Map<string, Kind>();
  readonly #print: (line: string) => void;

  /** @param print hears of each kind when it is first seen */
  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  get count(): number {
    return this.#kinds.size;
  }

  add(finding: Finding): void {
    const key = finding.what.replaceAll(/\d+/g, '#').slice(0, 60);
    const known = this.#kinds.get(key);
    if (known !== undefined) known.count += 1;
    else {
      this.#kinds.set(key, { first: finding, count: 1 });
      this.#print(`FOUND ${lineOf(finding, 1)}`);
    }
  }

  /** One line a kind. */
  lines(): string[] {
    return [...this.#kinds.values()].map(({ first, count }) => lineOf(first, count));
  }
}

function lineOf({ what, indexes }: Finding, count: number): string {
  const shown = indexes.slice(0, MOST_INDEXES).join(',');
  return `${count}x ${what}${shown === '' ? '' : ` --only ${shown}`}`;
}
