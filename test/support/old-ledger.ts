/** The ledger of version 0.1.0, which wrote alerts as callbacks, to be opened by this version. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DUMP = readFileSync(join(import.meta.dirname, '../fixtures/ledgers/0.1.0.sql'), 'utf8');

const TABLES = ['callbacks', 'deliveries', 'history', 'refused'] as const;

export const OLD_SQLITE_LEDGER = DUMP;

/** PostgreSQL counts ids up by sequences of its own, which do not see what is inserted past them. */
export const OLD_POSTGRES_LEDGER = [
  DUMP.replaceAll(
    '"id" integer primary key',
    '"id" bigint generated always as identity primary key',
  ).replaceAll(
    /^(insert into (?:callbacks|deliveries|history|refused) .*?\)) values/gm,
    '$1 overriding system value values',
  ),
  ...TABLES.map((table) => `select setval(pg_get_serial_sequence('${table}', 'id'), 100);`),
].join('\n');
