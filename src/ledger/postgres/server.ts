/** What a PostgreSQL server and its role have to be for a ledger. Looks only: nothing is created, and nothing is locked. */
import pg from 'pg';
import { shortText } from '../../text/cut.ts';
import { type Fault, FaultError, faultsOf } from '../../text/fault.ts';
import { onlyRow } from '../database.ts';
import type { LedgerState } from '../shared/migrate.ts';
import { TABLE_NAMES, VERSION_TABLE } from '../shared/schema.ts';

const OLDEST_MAJOR = 15;

/** YugabyteDB begins its version as PostgreSQL does, with a number of its own behind that. */
const VERSION = /^PostgreSQL (\d+)(?!\S*-YB-)/;

const LONGEST_VERSION = 100;

/** What holds any text; `SQL_ASCII` takes all bytes as they come. */
const ENCODINGS: ReadonlySet<string> = new Set(['UTF8', 'SQL_ASCII']);

// prettier-ignore
const fault = faultsOf({
  pooling: ['PgBouncer pools statements, and a ledger needs transactions: set pool_mode = transaction, or session', 'PgBouncerが文ごとのプーリングになっていますが、トランザクションが必要です。pool_mode = transaction か session にしてください'],
  certificate: ['{why}: name the authority that signed the server\'s certificate by ?sslrootcert=/path/to/ca.pem in store.url; ?sslmode=no-verify takes any certificate', '{why}。サーバーの証明書に署名した認証局を、store.url の ?sslrootcert=/path/to/ca.pem で指定してください。?sslmode=no-verify なら、どの証明書でも受け入れます'],
  'no TLS': ['{why}: ?sslmode=disable in store.url connects without', '{why}。store.url に ?sslmode=disable と書くと、TLSなしで接続します'],
  name: ['{why}: name the server in store.url as its certificate does', '{why}。store.url には、証明書にある名前でサーバーを書いてください'],
  password: ['the server asks for a password, and store.url has none', 'サーバーがパスワードを求めていますが、store.url にありません'],
  'read-only': ['it is read-only: the server is a standby, or default_transaction_read_only is on for server, database or role', '読み取り専用です。サーバーがスタンバイか、サーバー・データベース・ロールの default_transaction_read_only がオンです'],
  version: ['the server is {version}: Botbell needs PostgreSQL {oldest} or newer, and works on nothing else that speaks its protocol', 'サーバーは {version} です。PostgreSQL {oldest} 以降が必要です（同じプロトコルを話す別の製品では動きません）'],
  encoding: ['the database\'s encoding is {encoding}, which does not hold every text: create one with ENCODING \'UTF8\'', 'データベースの文字コードが {encoding} のため、書けない文字があります。ENCODING \'UTF8\' で作り直してください'],
  schema: ['none of the schemas in search_path is there for the role {role}', 'search_path にあるスキーマが、ロール {role} にはどれもありません'],
  create: ['the role {role} may not create tables in the schema {schema}: GRANT CREATE ON SCHEMA {schema} TO {role}', 'ロール {role} は、スキーマ {schema} に表を作れません：GRANT CREATE ON SCHEMA {schema} TO {role}'],
  own: ['the role {role} does not own {what}, so it cannot bring the ledger up to date: start once with their owner', 'ロール {role} は {what} の所有者でないため、記録を新しい形に直せません。所有者のロールで一度起動してください'],
  write: ['the role {role} may not write {what}: use their owner, or GRANT it all on the ledger\'s tables and sequences', 'ロール {role} は {what} に書き込めません。所有者のロールを使うか、記録の表とシーケンスの権限をすべてGRANTしてください'],
  more: ['{first} and {others} more', '{first} ほか{others}個'],
});

/** @throws {Error} the server cannot be reached, or no ledger works on it, whatever rights the role has; says why */
export function checkServer(url: string): Promise<void> {
  return looking(url, checkKind);
}

/** For a server that `checkServer` has passed. @param state of the ledger there @throws {Error} its role may not do what `serve` does with such a ledger */
export function checkMayServe(url: string, state: LedgerState): Promise<void> {
  return looking(url, async (client) => {
    if ((await oneValue(client, 'SHOW transaction_read_only')) === 'on')
      throw new FaultError(fault('read-only'));
    await (state === 'none' ? checkMayCreate(client) : checkMayWrite(client, state === 'older'));
  });
}

/** @throws {Error} the role lets a process say that it lives, but may not write all that it writes; a role that only reads is no process's */
export function checkRights(url: string): Promise<void> {
  return looking(url, async (client) => {
    if (!(await unwritable(client)).some(({ name }) => name === 'processes'))
      await checkMayWrite(client, false);
  });
}

/** pg checks the certificate in these modes as in `verify-full`, too, but writes a warning to stderr that its next version will not. */
export function connectionTo(url: string): string {
  return url.includes('uselibpqcompat=true')
    ? url
    : url.replace(/(?<=[?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, 'verify-full');
}

/** OpenSSL's words for a certificate whose authority is unknown here. */
const UNKNOWN_AUTHORITY = /self-signed certificate|unable to (?:get|verify).* certificate/;

/** What to do about what a pooler, OpenSSL or pg says of a connection; undefined: it says so itself. */
function adviceOn(why: string): Fault | undefined {
  if (why.includes('statement pooling')) return fault('pooling');
  if (UNKNOWN_AUTHORITY.test(why)) return fault('certificate', { why });
  if (why.includes("does not match certificate's altnames")) return fault('name', { why });
  if (why.includes('does not support SSL')) return fault('no TLS', { why });
  return why.includes('client password must be') ? fault('password') : undefined;
}

async function looking(url: string, look: (client: pg.Client) => Promise<void>): Promise<void> {
  const settings = { connectionTimeoutMillis: 3000, query_timeout: 3000 };
  const client = new pg.Client({ connectionString: connectionTo(url), ...settings });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('BEGIN');
    await look(client);
    // A pooler closes its connection to the server if the client leaves within a transaction.
    await client.query('ROLLBACK');
  } catch (error) {
    const advice = adviceOn((error as Error).message);
    throw advice === undefined ? error : new FaultError(advice, { cause: error });
  } finally {
    await client.end();
  }
}

async function checkKind(client: pg.Client): Promise<void> {
  const version = await oneValue(client, 'SELECT version()');
  if (!(Number(VERSION.exec(version)?.[1]) >= OLDEST_MAJOR))
    throw new FaultError(
      fault('version', { version: shortText(version, LONGEST_VERSION), oldest: OLDEST_MAJOR }),
    );
  const encoding = await oneValue(client, 'SHOW server_encoding');
  if (!ENCODINGS.has(encoding)) throw new FaultError(fault('encoding', { encoding }));
}

async function oneValue(client: pg.Client, asking: string): Promise<string> {
  const { rows } = await client.query<Record<string, unknown>>(asking);
  return String(Object.values(onlyRow(rows))[0]);
}

async function checkMayCreate(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ role: string; schema: string | null; isAllowed: boolean }>(`
    SELECT current_user AS role, current_schema() AS schema, has_schema_privilege(current_schema(), 'CREATE') AS "isAllowed"`);
  const { role, schema, isAllowed } = onlyRow(rows);
  if (schema === null) throw new FaultError(fault('schema', { role }));
  if (!isAllowed) throw new FaultError(fault('create', { role, schema }));
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

async function unwritable(client: pg.Client, isToChange = false) {
  const names = [...TABLE_NAMES, 'callbacks_id_seq'];
  return (await client.query<{ name: string; role: string }>(UNWRITABLE, [isToChange, names])).rows;
}

async function checkMayWrite(client: pg.Client, isToChange: boolean): Promise<void> {
  const [first, ...others] = await unwritable(client, isToChange);
  if (first === undefined) return;
  const { name, role } = first;
  const what = others.length === 0 ? name : fault('more', { first: name, others: others.length });
  throw new FaultError(fault(isToChange ? 'own' : 'write', { role, what }));
}
