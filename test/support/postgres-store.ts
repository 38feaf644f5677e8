/** A ledger's database on a PostgreSQL server, which tests can also query past the ledger. */
import pg from 'pg';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { openPostgres } from '../../src/ledger/postgres/transactions.ts';
import { ManualClock } from './manual-clock.ts';
import type { PostgresServer } from './postgres-server.ts';
import { callsOver, CLOSED_WITHIN_MS, OPTIONS, type StoreUnderTest } from './store-under-test.ts';

export interface PostgresStore extends StoreUnderTest {
  readonly url: string;
  query(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** A database, and connections past the ledger: a new one for each statement would start a process of the server each time. */
interface Beside {
  readonly url: string;
  readonly connections: pg.Pool;
}

/** Databases to be used again: to make one takes the server longer than to empty one. */
const emptied = new WeakMap<PostgresServer, Beside[]>();

/** What a test writes and reads is to the letter. */
const STANDARD = '-c standard_conforming_strings=on -c extra_float_digits=1';

async function createBeside(server: PostgresServer): Promise<Beside> {
  const url = await server.createDatabase();
  const options = { max: 1, allowExitOnIdle: true, options: STANDARD };
  const connections = new pg.Pool({ connectionString: url, ...options });
  // The server ends these connections when it drops the database.
  connections.on('error', () => undefined);
  return { url, connections };
}

const EMPTY = `DO $$ DECLARE each text; BEGIN
  FOR each IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'botbell_schema' LOOP
    IF each = 'rolled_up' THEN EXECUTE 'UPDATE rolled_up SET seen_at = 0';
    ELSE EXECUTE format('DELETE FROM %I', each); END IF;
  END LOOP; END $$`;

/** Tries again: the program gives a server only three seconds to accept a connection, and a busy machine may take longer. */
async function patiently<T>(open: () => Promise<T>): Promise<T> {
  for (let left = 20; ; left -= 1)
    try {
      return await open();
    } catch (error) {
      if (left === 0 || !String(error).includes('timeout expired')) throw error;
    }
}

export async function createPostgresStore(
  server: PostgresServer,
  clock = new ManualClock(),
  throughPooler = (url: string) => url,
): Promise<PostgresStore> {
  const beside = emptied.get(server)?.pop() ?? (await createBeside(server));
  const { url, connections } = beside;
  const closers: (() => Promise<unknown>)[] = [];
  const query = async (text: string) => (await connections.query<Record<string, unknown>>(text)).rows;
  return {
    url,
    clock,
    query,
    async open(options = {}) {
      const settings = { ...OPTIONS, clock, owner: 'first', ...options };
      const ledger = await patiently(() => openLedger(throughPooler(url), settings));
      closers.push(() => ledger.close(CLOSED_WITHIN_MS));
      return ledger;
    },
    call: callsOver(async (owner) => {
      const transactions = await patiently(() => openPostgres({ url: throughPooler(url), owner, clock }));
      closers.push(() => transactions.close());
      return transactions;
    }),
    async run(statement) {
      await query(statement);
    },
    rows: (table, orderedBy = 'id') => query(`select * from ${table} order by ${orderedBy}`),
    passTime: (ms) => clock.advance(ms),
    async close() {
      for (const close of closers.splice(0).toReversed()) await close();
      await query(EMPTY);
      emptied.set(server, [...(emptied.get(server) ?? []), beside]);
    },
  };
}
