/** How far what is done step by step has come. */
import sql from 'sql-template-tag';
import type { Tx } from '../database.ts';

/** 0: it has not begun. Held until the transaction ends: nobody else takes the same step. */
export async function positionOf(tx: Tx, name: string): Promise<number> {
  await tx.all(sql`INSERT INTO counters (name, value) VALUES (${name}, 0) ON CONFLICT (name) DO NOTHING`);
  const row = await tx.first<{ value: number }>(
    sql`SELECT value FROM counters WHERE name = ${name} ${tx.forUpdate}`,
  );
  return row?.value ?? 0;
}

export async function writePosition(tx: Tx, name: string, value: number): Promise<void> {
  await tx.all(sql`UPDATE counters SET value = ${value} WHERE name = ${name}`);
}
