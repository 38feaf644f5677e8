/** A ledger's database on a PostgreSQL server, with a way to look into it past the ledger. */
import { WAITS_FOR_EARLIER } from '../../src/ledger/rows.ts';
import pg from 'pg';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import type { StoreUnderTest } from '../contract/ledger-contract.ts';
import { ManualClock } from './manual-clock.ts';
import type { PostgresServer } from './postgres-server.ts';

export interface PostgresStore extends StoreUnderTest {
  readonly url: string;
  /** Runs one statement past the ledger. @returns its rows */
  query(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** Making a database takes the server longer than emptying one. */
const emptied = new WeakMap<PostgresServer, string[]>();

export async function createPostgresStore(
  server: PostgresServer,
  clock = new ManualClock(),
  throughPooler = (url: string) => url,
): Promise<PostgresStore> {
  const url = emptied.get(server)?.pop() ?? (await server.createDatabase());
  const closers: (() => Promise<void>)[] = [];
  const query = (text: string) => runStatement(url, text);
  return {
    url,
    query,
    async open(options) {
      const ledger = await openLedger(throughPooler(url), options);
      closers.push(() => ledger.close());
      return ledger;
    },
    async run(statement) {
      await query(statement);
    },
    rows: (table, orderedBy = 'id') => query(`select * from ${table} order by ${orderedBy}`),
    async passTime(ms) {
      // The server's clock cannot be moved, but what it is compared with can.
      await query(`update alert_causes set told_at = told_at - ${ms}`);
      await query(`update paces set next_at = next_at - ${ms}`);
      await query(`update processes set loaded_at = loaded_at - ${ms}, seen_at = seen_at - ${ms}`);
      await query(`update loaded_configs set loaded_at = loaded_at - ${ms}`);
      await query(`update deliveries set
        due_at = case when due_at = ${WAITS_FOR_EARLIER} then due_at else due_at - ${ms} end,
        claimed_until = claimed_until - ${ms}, counts_from = counts_from - ${ms}, updated_at = updated_at - ${ms}, held_until = held_until - ${ms}`);
      await clock.advance(ms);
    },
    async close() {
      for (const close of closers.splice(0).toReversed()) await close();
      await query(
        'delete from callbacks; delete from refused; delete from paces; delete from alert_causes; delete from processes; delete from channel_types; delete from sweeps; delete from bot_days; delete from attempt_days; delete from destinations; delete from loaded_configs; delete from bulks',
      );
      emptied.set(server, [...(emptied.get(server) ?? []), url]);
    },
  };
}

async function runStatement(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
