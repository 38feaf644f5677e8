/** Looks into a ledger past the program that writes it. */
import { DatabaseSync } from '@photostructure/sqlite';
import { execute, type Row } from './postgres-server.ts';

export async function rowsOf(storeUrl: string, statement: string): Promise<readonly Row[]> {
  if (!storeUrl.startsWith('sqlite:')) return execute(storeUrl, statement);
  const database = new DatabaseSync(storeUrl.slice('sqlite:'.length), { timeout: 5000 });
  try {
    return database.prepare(statement).all() as Row[];
  } finally {
    database.close();
  }
}

const claimedBy = (pid: number) => `owner like '%/${pid}/%'`;

/** @param pid only deliveries that this process has claimed. @returns `<job id> <destination>` of each delivery in that state */
export async function deliveriesIn(
  storeUrl: string,
  state: 'pending' | 'delivered',
  pid?: number,
): Promise<string[]> {
  const rows = await rowsOf(
    storeUrl,
    `select job_id, destination from deliveries join callbacks on callbacks.id = callback_id
     where state = '${state}' ${pid === undefined ? '' : `and ${claimedBy(pid)}`}`,
  );
  return rows.map(({ job_id, destination }) => `${String(job_id)} ${String(destination)}`);
}
