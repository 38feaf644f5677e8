/** A ledger holds months of callbacks: nothing that it has been asked in the tests before may read them all, or sort all that is due. */
import { expect } from 'chai';
import pg from 'pg';
import type { Statement } from '../../src/ledger/database.ts';
import { SqliteConnection } from '../../src/ledger/sqlite/connection.ts';
import type { CreateStore } from './ledger-bench.ts';

/** By their texts, the statements that ledgers of this process have run, with the values of one run. */
type Asked = Map<string, readonly unknown[]>;

export interface Planner {
  readonly asked: Asked;
  /** Put before a statement. */
  readonly explain: string;
  /** A step that goes through a whole table, but for the small ones. */
  readonly wholeTable: RegExp;
}

const inSqlite: Asked = new Map();
const { all } = SqliteConnection.prototype;
SqliteConnection.prototype.all = function note(statement) {
  inSqlite.set(statement.sql, statement.values);
  return all.call(this, statement);
};

const inPostgres: Asked = new Map();
const prototype = pg.Client.prototype as { query: (...args: readonly unknown[]) => unknown };
const { query } = prototype;
prototype.query = function note(...args) {
  const [{ text, values } = {}] = args as readonly { text?: string; values?: readonly unknown[] }[];
  if (text !== undefined) inPostgres.set(text, values ?? []);
  return query.call(this, ...args);
};

export const SQLITE: Planner = {
  asked: inSqlite,
  explain: 'EXPLAIN QUERY PLAN',
  wholeTable: /^SCAN (?:\w+ AS )?(?:callbacks|deliveries|earlier|other|ended|history|jobs)(?! USING)/,
};

export const POSTGRES: Planner = {
  asked: inPostgres,
  explain: 'EXPLAIN',
  wholeTable: /Seq Scan on (?:callbacks|deliveries|history|jobs)/,
};

/** A list as PostgreSQL writes it. */
function listed(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const items = value.map((each: unknown) => {
    const text = each instanceof Uint8Array ? `\\x${Buffer.from(each).toString('hex')}` : String(each);
    return each === null ? 'NULL' : JSON.stringify(text);
  });
  return `{${items.join(',')}}`;
}

/** To be described last. */
export function describePlans(name: string, createStore: CreateStore, planner: Planner): void {
  const { asked, explain, wholeTable } = planner;
  describe(`${name} finds by an index`, () => {
    it('whatever the tests before have asked of it', async () => {
      const store = await createStore();
      const statements = [...asked].filter(([text]) =>
        /^\s*(?:select|insert|update|delete|with)\b/i.test(text),
      );
      const faults: string[] = [];
      await store.call(async (tx) => {
        const run = (text: string, values: readonly unknown[] = []) =>
          tx.all<Readonly<Record<string, unknown>>>({ sql: text, text, values } as unknown as Statement);
        for (const [text, values] of statements)
          for (const row of await run(`${explain} ${text}`, values.map(listed))) {
            const step = String(row['detail'] ?? row['QUERY PLAN']);
            const isSorted = text.includes('ORDER BY is_bulk') && /TEMP B-TREE|Sort/.test(step);
            if (isSorted || wholeTable.test(step)) faults.push(`${step}: ${text.replaceAll(/\s+/g, ' ')}`);
          }
      }, []);
      await store.close();
      expect(statements.length).to.be.above(0);
      expect(faults.join('\n')).to.equal('');
    });
  });
}
