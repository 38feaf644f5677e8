/** Looks into a ledger past the program that writes it, and has time pass for what dead processes had claimed. */
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import pg from 'pg';

interface DeliveryLine {
  readonly job_id: string;
  readonly destination: string;
  readonly owner: string | null;
}

const LINES = `select job_id, destination, owner from deliveries
  join callbacks on callbacks.id = deliveries.callback_id where state = `;

function inSqlite<Result>(file: string, work: (database: DatabaseSyncInstance) => Result): Result {
  const database = new DatabaseSync(file, { timeout: 5000 });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

async function inPostgres(url: string, statement: string, value: string): Promise<readonly DeliveryLine[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<DeliveryLine>(statement, [value])).rows;
  } finally {
    await client.end();
  }
}

/** `<key> <destination>` of every delivery in that state. */
export function deliveriesIn(file: string, state: 'pending' | 'delivered' | 'dead' | 'held'): string[] {
  const lines = inSqlite(
    file,
    (database) => database.prepare(`${LINES} '${state}'`).all() as unknown as DeliveryLine[],
  );
  return lines.map(({ job_id, destination }) => `${job_id} ${destination}`);
}

/** As `deliveriesIn`, of PostgreSQL; with `pid`, only what that process has claimed. */
export async function deliveriesOfPostgres(
  url: string,
  state: 'pending' | 'delivered',
  pid?: number,
): Promise<string[]> {
  return (await inPostgres(url, `${LINES} $1`, state))
    .filter(({ owner }) => pid === undefined || owner?.split('/')[1] === String(pid))
    .map(({ job_id, destination }) => `${job_id} ${destination}`);
}

const END_CLAIMS =
  "update deliveries set claimed_until = 0 where state = 'pending' and claimed_until is not null";

/** As if the time of all claims were over: a lease that ends is no reason for a test to wait. */
export function endClaimsIn(file: string): void {
  inSqlite(file, (database) => database.exec(END_CLAIMS));
}

/** As `endClaimsIn`, of PostgreSQL, and only of what that process has claimed. */
export async function endClaimsOfPostgres(url: string, pid: number): Promise<void> {
  await inPostgres(url, `${END_CLAIMS} and split_part(owner, '/', 2) = $1`, String(pid));
}
