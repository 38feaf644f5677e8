/** Sends statements with the same text that run at the same time within a transaction as one, over `unnest`. */
import { hash } from 'node:crypto';
import { PreparedStatement, type Statement, storedValue } from '../database.ts';

/** What is sent to the server for one statement, or for several with the same text. */
export interface Query {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Under which the server keeps it prepared: the same text has the same name, in every process. Undefined: it is not kept. */
  readonly name?: string | undefined;
}

type Row = Record<string, unknown>;

interface Asked {
  readonly statement: PreparedStatement;
  readonly values: readonly unknown[];
  readonly resolve: (rows: Row[]) => void;
  readonly reject: (error: unknown) => void;
}

/** A server takes messages of a gigabyte; what is sent stands in this process's memory several times. */
const MOST_BYTES = 1024 * 1024;

/** PostgreSQL takes 63 bytes of a name. */
const NAME_LENGTH = 40;

/** Marks where a text gets the column with the number of the merged statement to which a row belongs. */
const NUMBER = '/*nr*/';

/** By the template of a `PreparedStatement`: as it is sent. */
const known = new WeakMap<TemplateStringsArray, Pick<Query, 'text' | 'name'>>();

function sentFor(statement: PreparedStatement): Pick<Query, 'text' | 'name'> {
  const { strings, types } = statement;
  let sent = known.get(strings);
  if (sent === undefined) {
    const text = types === undefined ? statement.text : textForMany(strings, types);
    known.set(strings, (sent = { text, name: hash('sha256', text, 'hex').slice(0, NAME_LENGTH) }));
  }
  return sent;
}

function textForMany(strings: readonly string[], types: readonly string[]): string {
  const own = strings.reduce((before, after, index) => `${before}given.v${index}${after}`);
  const lists = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ');
  const names = types.map((_, index) => `v${index + 1}`).join(', ');
  const given = `unnest(${lists}) WITH ORDINALITY AS given(${names}, nr)`;
  return own
    .replace(/VALUES \(([^)]*)\)/, (_, values: string) => `SELECT ${values} FROM ${given} ORDER BY given.nr`)
    .replace('/*from given*/', `FROM ${given}`)
    .replace('/*, given*/', `, ${given}`)
    .replace(NUMBER, 'CAST(given.nr AS INTEGER) AS nr, ');
}

/** Statements with the same text. */
interface Group {
  readonly strings: TemplateStringsArray;
  readonly asked: Asked[];
}

function isLock({ strings }: Group): boolean {
  return strings.some((text) => text.includes('FOR NO KEY UPDATE'));
}

/** Collects statements until all calls that run at the same time have asked theirs. */
export class SharedStatements {
  readonly #query: (query: Query) => Promise<Row[]>;
  #groups: Group[] = [];

  constructor(query: (query: Query) => Promise<Row[]>) {
    this.#query = query;
  }

  /** @returns a function that asks one call's statements, each behind those that this call has asked before */
  asker(): (statement: Statement) => Promise<Row[]> {
    let [groups, last] = [this.#groups, 0];
    return (statement) => {
      const values = statement.values.map(storedValue);
      if (!(statement instanceof PreparedStatement)) return this.#query({ text: statement.text, values });
      if (statement.types === undefined) return this.#query({ ...sentFor(statement), values });
      if (groups !== this.#groups) [groups, last] = [this.#groups, 0];
      if (groups.length === 0) process.nextTick(() => this.send());
      const { strings } = statement;
      while (groups[last] !== undefined && groups[last]?.strings !== strings) last += 1;
      const { asked } = (groups[last] ??= { strings, asked: [] });
      return new Promise((resolve, reject) => void asked.push({ statement, values, resolve, reject }));
    };
  }

  /** Sends what has been asked, in the order in which it was first asked; but locks first, so that no call's write comes before another's lock. */
  send(): void {
    const groups = this.#groups.toSorted((a, b) => Number(isLock(b)) - Number(isLock(a)));
    this.#groups = [];
    for (const { asked } of groups) for (const some of withinBytes(asked)) void this.#ask(some);
  }

  async #ask(some: readonly Asked[]): Promise<void> {
    try {
      await this.#askForMany(some);
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }

  async #askForMany(some: readonly Asked[]): Promise<void> {
    const [first] = some;
    if (first === undefined) return;
    const { statement } = first;
    const values = statement.values.map((_, index) => some.map((each) => each.values[index]));
    const rows = await this.#query({ ...sentFor(statement), values });
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
