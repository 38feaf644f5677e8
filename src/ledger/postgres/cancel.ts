/** Ends what a session of PostgreSQL runs, by a connection of its own (PostgreSQL, "Canceling Requests in Progress"). */
import { createConnection, Socket } from 'node:net';
import type pg from 'pg';

/** What marks a request as one to cancel. */
const CANCEL_REQUEST = 80_877_102;
const REQUEST_BYTES = 16;
const TIMEOUT_MS = 10_000;

/** pg knows by what its session is cancelled, its types do not. */
interface Session {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
  readonly connection: pg.Connection;
}

/** Waits for nothing: the server does not say what became of the request. */
export function cancelOn(client: pg.PoolClient): void {
  const { host, port, processID, secretKey, connection } = client as unknown as Session;
  const { remoteAddress } = connection.stream as Socket;
  // The very server, not another one of its name; a Unix socket has no address.
  const place =
    remoteAddress === undefined ? { path: `${host}/.s.PGSQL.${port}` } : { host: remoteAddress, port };
  const request = Buffer.alloc(REQUEST_BYTES);
  for (const [index, value] of [REQUEST_BYTES, CANCEL_REQUEST, processID, secretKey].entries())
    request.writeInt32BE(value, index * Int32Array.BYTES_PER_ELEMENT);
  // Whoever was asked ends the connection: PgBouncer 1.18 does not survive a client that does.
  const socket = createConnection(place).on('error', () => undefined);
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy()).write(request);
}
