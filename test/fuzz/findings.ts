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

/** Of a kind: enough to see whether they have something in common. */
const MOST_PRINTED = 10;

/** Enough to tell a cause from what merely happened at the same time. */
const MOST_INDEXES = 8;

export class Findings {
  readonly #kinds = new Map<string, Kind>();
  readonly #print: (line: string) => void;

  /** @param print hears of the first ones of each kind */
  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  get count(): number {
    return this.#kinds.size;
  }

  add(finding: Finding): void {
    const key = finding.what.replaceAll(/\d+/g, '#').slice(0, 60);
    const kind = this.#kinds.get(key) ?? { first: finding, count: 0 };
    kind.count += 1;
    this.#kinds.set(key, kind);
    if (kind.count <= MOST_PRINTED) this.#print(`FOUND ${lineOf(finding, kind.count)}`);
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
