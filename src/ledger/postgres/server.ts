/** What a PostgreSQL server and its role have to be for a ledger. Looks only: nothing is created, and nothing is locked. */
import pg from 'pg';
import { shortText } from '../../text/cut.ts';
import { onlyRow } from '../database.ts';
import type { LedgerState } from '../shared/migrate.ts';
import { TABLE_NAMES, VERSION_TABLE } from '../shared/schema.ts';

const OLDEST_MAJOR = 15;

/** YugabyteDB begins its version as PostgreSQL does, with a number of its own behind that. */
const VERSION = /^PostgreSQL (\d+)(?!\S*-YB-)/;

const LONGEST_VERSION = 100;

/** What holds any text; `SQL_ASCII` takes all bytes as they come. */
const ENCODINGS: ReadonlySet<string> = new Set(['UTF8', 'SQL_ASCII']);

const STATEMENT_POOLING =
  'PgBouncer pools statements, and a ledger needs transactions: set pool_mode = transaction, or session';

const MAY_ONLY_READ =
  'it is read-only: the server is a standby, or default_transaction_read_only is on for server, database or role';

/** @throws {Error} the server cannot be reached, or no ledger works on it, whatever rights the role has; says why */
export function checkServer(url: string): Promise<void> {
  return looking(url, checkKind);
}

/** For a server that `checkServer` has passed. @param state of the ledger there @throws {Error} its role may not do what `serve` does with such a ledger */
export function checkMayServe(url: string, state: LedgerState): Promise<void> {
  return looking(url, async (client) => {
    if ((await oneValue(client, 'SHOW transaction_read_only')) === 'on') throw new Error(MAY_ONLY_READ);
    await (state === 'none' ? checkMayCreate(client) : checkMayWrite(client, state === 'older'));
  });
}

async function looking(connectionString: string, look: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 3000, query_timeout: 3000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('BEGIN');
    await look(client);
    // A pooler closes its connection to the server if the client leaves within a transaction.
    await client.query('ROLLBACK');
  } catch (error) {
    throw String(error).includes('statement pooling')
      ? new Error(STATEMENT_POOLING, { cause: error })
      : error;
  } finally {
    await client.end();
  }
}

async function checkKind(client: pg.Client): Promise<void> {
  const version = await oneValue(client, 'SELECT version()');
  if (!(Number(VERSION.exec(version)?.[1]) >= OLDEST_MAJOR))
    throw new Error(
      `the server is ${shortText(version, LONGEST_VERSION)}: Botbell needs PostgreSQL ${OLDEST_MAJOR} or newer, and works on nothing else that speaks its protocol`,
    );
  const encoding = await oneValue(client, 'SHOW server_encoding');
  if (!ENCODINGS.has(encoding))
    throw new Error(
      `the database's encoding is ${encoding}, which does not hold every text: create one with ENCODING 'UTF8'`,
    );
}

async function oneValue(client: pg.Client, asking: string): Promise<string> {
  const { rows } = await client.query<Record<string, unknown>>(asking);
  return String(Object.values(onlyRow(rows))[0]);
}

async function checkMayCreate(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ role: string; schema: string | null; isAllowed: boolean }>(`
    SELECT current_user AS role, current_schema() AS schema, has_schema_privilege(current_schema(), 'CREATE') AS "isAllowed"`);
  const { role, schema, isAllowed } = onlyRow(rows);
  if (schema === null) throw new Error(`none of the schemas in search_path is there for the role ${role}`);
  if (!isAllowed)
    throw new Error(
      `the role ${role} may not create tables in the schema ${schema}: GRANT CREATE ON SCHEMA ${schema} TO ${role}`,
    );
}

/** Tables of the ledger, and its sequence of callbacks' ids, that the role may not write; with $1, that it does not own: only an owner changes the schema. */
const UNWRITABLE = `
  SELECT relname AS name, current_user AS role FROM pg_class
  WHERE relname = ANY ($2)
    AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('${VERSION_TABLE}'))
    AND NOT CASE WHEN $1 THEN pg_has_role(relowner, 'USAGE')
      WHEN relkind = 'S' THEN has_sequence_privilege(oid, 'USAGE')
      ELSE has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
        AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE') END
  ORDER BY relname`;

async function checkMayWrite(client: pg.Client, isToChange: boolean): Promise<void> {
  const { rows } = await client.query<{ name: string; role: string }>(UNWRITABLE, [
    isToChange,
    [...TABLE_NAMES, 'callbacks_id_seq'],
  ]);
  const [first, ...others] = rows;
  if (first === undefined) return;
  const what = others.length === 0 ? first.name : `${first.name} and ${others.length} more`;
  throw new Error(
    isToChange
      ? `the role ${first.role} does not own ${what}, so it cannot bring the ledger up to date: start once with their owner`
      : `the role ${first.role} may not write ${what}: use their owner, or GRANT it all on the ledger's tables and sequences`,
  );
}
