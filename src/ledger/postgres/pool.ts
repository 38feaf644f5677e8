/** The connections of a process to PostgreSQL. */
import pg from 'pg';
import type { DatabaseSettings } from '../database.ts';
import { gatheringSocket } from './gathering-socket.ts';
import { QUERY_TIMEOUT_MS } from './open-transaction.ts';
import { connectionTo } from './server.ts';

export interface PostgresSettings extends DatabaseSettings {
  readonly url: string;
  /** For tests. */
  readonly forsakenAfterMs?: number;
}

/** With the reading ones, six for each replica: ten replicas fit into a server that takes 100, its default. */
const CONNECTIONS = 4;
/** Fewer: they serve only people, who look at one page at a time. */
const READING_CONNECTIONS = 2;
const CONNECT_TIMEOUT_MS = 3000;
/** Longer than the answer of a POST may take, but for odd configs. */
const FORSAKEN_AFTER_MS = 60_000;
const types = new pg.TypeOverrides();
// pg returns these as text; all numbers of the ledger are safe integers.
types.setTypeParser(pg.types.builtins.INT8, Number);
types.setTypeParser(pg.types.builtins.NUMERIC, Number);

export function connect({
  url,
  isReader = false,
  forsakenAfterMs = FORSAKEN_AFTER_MS,
}: PostgresSettings): pg.Pool {
  // No startup parameters beside the name: a pooler refuses those that it cannot track per client.
  const pool = new pg.Pool({
    connectionString: connectionTo(url),
    max: isReader ? READING_CONNECTIONS : CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    pipeline: true,
    stream: gatheringSocket,
    application_name: 'botbell',
    types,
  });
  // A server that goes away ends idle and busy connections; without listeners these errors would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    // A connection is new because another one may have been given up.
    if (!isReader) client.query(endForsaken(forsakenAfterMs)).catch(() => undefined);
  });
  return pool;
}

/**
 * Ends COMMITs of ours that wait for so long. One waits without an end for a synchronous standby that is gone, whatever time-outs are set, and
 * whether or not its client has left: such sessions would pile up until the server takes no more. Nobody waits for their outcome any more.
 */
function endForsaken(afterMs: number): pg.QueryConfig {
  const text = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
    WHERE usename = current_user AND datname = current_database() AND application_name = current_setting('application_name')
      AND wait_event = 'SyncRep' AND query_start < clock_timestamp() - $1 * interval '1 ms'`;
  return { text, values: [afterMs] };
}
