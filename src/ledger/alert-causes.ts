/** Each cause is told once an hour, whichever process raises it; what is not told is counted for the next time. */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { cleanText } from '../text/clean.ts';
import type { StatementContext } from './hot-statements.ts';

const ONCE_WITHIN_MS = 60 * 60_000;

/** An error's code is a remote's word, and PostgreSQL's indexes take 2.7 KB. */
const LONGEST_CAUSE = 300;

/** How a cause stands when alerts of it are raised. Times are milliseconds since the epoch. */
export interface CauseStanding {
  /** 0: never. */
  readonly toldAt: number;
  /** Not told since then. */
  readonly suppressed: number;
  readonly now: number;
}

/**
 * A clock that was set back must not silence a cause for long; but whoever has waited for another to tell it looked at the
 * clock before that one did.
 */
export function isDueAgain({ toldAt, now }: Pick<CauseStanding, 'toldAt' | 'now'>): boolean {
  return Math.abs(now - toldAt) >= ONCE_WITHIN_MS;
}

/**
 * Holds the cause until the transaction ends: whoever raises the same at once waits. Who raises several, holds them in the
 * order of their keys.
 */
export async function lockCause({ trx, time }: StatementContext, cause: string): Promise<CauseStanding> {
  const { told_at, suppressed, now } = await trx
    .insertInto('alert_causes')
    .values({ cause, told_at: 0, suppressed: 0 })
    .onConflict((conflict) => conflict.column('cause').doUpdateSet({ cause }))
    .returning(['told_at', 'suppressed', sql<number>`${time.now}`.as('now')])
    .executeTakeFirstOrThrow();
  return { toldAt: told_at, suppressed, now };
}

export async function writeCause(
  { trx }: StatementContext,
  cause: string,
  { toldAt, suppressed }: Pick<CauseStanding, 'toldAt' | 'suppressed'>,
): Promise<void> {
  await trx
    .updateTable('alert_causes')
    .set({ told_at: toldAt, suppressed })
    .where('cause', '=', cause)
    .execute();
}

/** As it stands in the ledger. */
export function causeKey(cause: string): string {
  const text = cleanText(cause);
  if (text.length <= LONGEST_CAUSE) return text;
  return `${text.slice(0, LONGEST_CAUSE).toWellFormed()}… ${hash('sha256', text, 'hex')}`;
}
