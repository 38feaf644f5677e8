/** Snoozes: a person silences a BOT, a destination, or a BOT at a destination for a while. */
import sql, { join } from 'sql-template-tag';
import type { Snooze } from '../../signal/rules.ts';
import { only, type Tx } from '../database.ts';
import type { Actor } from '../callbacks/history.ts';
import { keyOf, nameIn } from '../callbacks/keys.ts';

export interface SnoozeRequest
  extends
    Pick<Snooze, 'until' | 'isUntilSuccess' | 'because'>,
    Partial<Pick<Snooze, 'botId' | 'destination'>> {
  readonly actor: Actor;
}

export interface KeptSnooze extends Snooze {
  readonly createdAt: number;
  readonly held: number;
}

const COLUMNS = sql`id, bot_id, destination, until_at AS until, is_until_success, because, actor, created_at`;

function snoozeOf<Row extends { readonly actor: Actor }>({ actor, ...row }: Row) {
  return { ...row, by: actor.user ?? actor.via };
}

export async function snooze(tx: Tx, request: SnoozeRequest): Promise<number> {
  const { botId, destination, until, isUntilSuccess, because, actor } = request;
  const begun = await tx.all<{ id: number }>(sql`
    INSERT INTO snoozes (bot_key, bot_id, destination, until_at, is_until_success, because, actor, created_at)
    VALUES (${botId && keyOf(botId)}, ${botId && nameIn(botId)}, ${destination}, ${until}, ${isUntilSuccess},
      ${because}, ${actor}, ${tx.now}) RETURNING id`);
  return only(begun).id;
}

/** Snoozes that have not ended, newest first, with how much each holds. */
export async function readSnoozes(tx: Tx): Promise<readonly KeptSnooze[]> {
  const rows = await tx.all<Omit<KeptSnooze, 'by'> & { readonly actor: Actor }>(sql`
    SELECT ${COLUMNS}, (SELECT count(*) FROM deliveries WHERE snooze_id = snoozes.id AND held_until IS NOT NULL) AS held
    FROM snoozes WHERE until_at > ${tx.now} ORDER BY id DESC`);
  return rows.map(snoozeOf);
}

export async function openSnoozes(tx: Tx): Promise<readonly Snooze[]> {
  const rows = await tx.all<Omit<Snooze, 'by'> & { readonly actor: Actor }>(
    sql`SELECT ${COLUMNS} FROM snoozes WHERE until_at > ${tx.now} ORDER BY id`,
  );
  return rows.map(snoozeOf);
}

/** Ends snoozes; `endedHolds` then gives what they held. @returns whether any had not ended yet */
export async function endSnoozes(tx: Tx, ids: readonly number[]): Promise<boolean> {
  if (ids.length === 0) return false;
  const ended = await tx.all<{ id: number }>(
    sql`UPDATE snoozes SET until_at = ${tx.now} WHERE until_at > ${tx.now} AND id IN (${join(ids)}) RETURNING id`,
  );
  return ended.length > 0;
}

export function endSnooze(tx: Tx, id: number): Promise<boolean> {
  return endSnoozes(tx, [id]);
}
