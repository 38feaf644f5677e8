/** Statements that are asked at the same time within a transaction are one for the server, over `unnest`. */
import { Fixed, type Statement, storedValue } from '../database.ts';

/** What is sent to the server for one statement, or for several with the same text. */
export interface Query {
  readonly text: string;
  readonly values: readonly unknown[];
}

type Row = Record<string, unknown>;

interface Asked {
  readonly statement: Fixed;
  readonly values: readonly unknown[];
  readonly resolve: (rows: Row[]) => void;
  readonly reject: (error: unknown) => void;
}

/** A server takes messages of a gigabyte; what is sent stands in this process's memory several times. */
const MOST_BYTES = 1024 * 1024;

/** Where a row that is returned says whose it is. */
const NUMBER = '/*nr*/';

/** By the template of a `Fixed`: its text for many. */
const texts = new WeakMap<TemplateStringsArray, string>();

function textForMany({ strings, types = [] }: Fixed): string {
  const known = texts.get(strings);
  if (known !== undefined) return known;
  const own = strings.reduce((before, after, index) => `${before}given.v${index}${after}`);
  const lists = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ');
  const names = types.map((_, index) => `v${index + 1}`).join(', ');
  const given = `unnest(${lists}) WITH ORDINALITY AS given(${names}, nr)`;
  const text = own
    .replace(/VALUES \(([^)]*)\)/, (_, values: string) => `SELECT ${values} FROM ${given} ORDER BY given.nr`)
    .replace('/*from given*/', `FROM ${given}`)
    .replace('/*, given*/', `, ${given}`)
    .replace(NUMBER, 'CAST(given.nr AS INTEGER) AS nr, ');
  texts.set(strings, text);
  return text;
}

/** Collects statements until all that runs at the same time has asked. */
export class SharedStatements {
  readonly #query: (query: Query) => Promise<Row[]>;
  #asked = new Map<TemplateStringsArray, Asked[]>();

  constructor(query: (query: Query) => Promise<Row[]>) {
    this.#query = query;
  }

  all(statement: Statement): Promise<Row[]> {
    const values = statement.values.map(storedValue);
    if (!(statement instanceof Fixed) || statement.types === undefined)
      return this.#query({ text: statement.text, values });
    if (this.#asked.size === 0) process.nextTick(() => this.send());
    return new Promise((resolve, reject) => {
      const alike = this.#asked.get(statement.strings) ?? [];
      this.#asked.set(statement.strings, alike);
      alike.push({ statement, values, resolve, reject });
    });
  }

  /** Sends what has been asked, in the order in which it was first asked. */
  send(): void {
    const asked = this.#asked;
    this.#asked = new Map();
    for (const alike of asked.values()) for (const some of withinBytes(alike)) void this.#ask(some);
  }

  async #ask(some: readonly Asked[]): Promise<void> {
    try {
      const [first, ...others] = some;
      if (first === undefined) return;
      if (others.length === 0)
        first.resolve(await this.#query({ text: first.statement.text, values: first.values }));
      else await this.#askForMany(first.statement, some);
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }

  async #askForMany(statement: Fixed, some: readonly Asked[]): Promise<void> {
    const values = statement.values.map((_, index) => some.map((each) => each.values[index]));
    const rows = await this.#query({ text: textForMany(statement), values });
    const isNumbered = statement.strings.some((text) => text.includes(NUMBER));
    // Rows that were inserted come in the order in which they were given.
    if (!isNumbered && rows.length > 0 && rows.length !== some.length)
      throw new Error('a row that was given was not written');
    const of = some.map((): Row[] => []);
    for (const [index, row] of rows.entries()) of[isNumbered ? Number(row['nr']) - 1 : index]?.push(row);
    for (const [index, { resolve }] of some.entries()) resolve(of[index] ?? []);
  }
}

function withinBytes(alike: readonly Asked[]): readonly (readonly Asked[])[] {
  const chunks: Asked[][] = [];
  let bytes = Infinity;
  for (const asked of alike) {
    const own = asked.values.reduce<number>(
      (sum, value) => sum + (value instanceof Uint8Array ? value.byteLength : 0),
      0,
    );
    if (bytes + own > MOST_BYTES) {
      chunks.push([]);
      bytes = 0;
    }
    bytes += own;
    chunks.at(-1)?.push(asked);
  }
  return chunks;
}
