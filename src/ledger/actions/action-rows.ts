/** Actions as the ledger keeps them: each once, however often it is asked for, and read into the story of its callback. */
import { hash } from 'node:crypto';
import type { Insertable, Kysely, Selectable } from 'kysely';
import { cleanText } from '../../text/clean.ts';
import { shortText } from '../../text/cut.ts';
import type { DialectTraits } from '../dialect.ts';
import type { HotStatements, StatementContext } from '../hot-statements.ts';
import { errorIn, LONGEST_TEXT } from '../rows.ts';
import type { ActionRow, Tables } from '../tables.ts';
import type { ActionRecord, Actor, EndedBefore } from './action.ts';
import type { ActionRequest } from './actions.ts';

/** One transaction that does what a person asked for. */
export interface ActionContext extends StatementContext {
  readonly traits: Pick<DialectTraits, 'lockRows' | 'lockJobs' | 'lockCallbacks' | 'lockDeliveries'>;
  readonly statements: HotStatements;
  /** For people, in milliseconds since the epoch. */
  readonly now: number;
  /** How long the service may retry the next one of a job before Botbell does. */
  readonly takeOverAfterMs: number;
}

export interface NewAction {
  readonly callbackId: number;
  readonly what: ActionRecord['what'];
  readonly deliveryIds: readonly number[];
  readonly actor: Actor;
  readonly note: string | undefined;
  /** Undefined: it may be done again. */
  readonly nonce: string | undefined;
  /** As JSON. */
  readonly outcome?: string;
  readonly bulkId?: number;
}

/** One for each callback, whose story tells it. */
export function actionsByCallback(
  rows: readonly { readonly id: number; readonly callback_id: number }[],
  common: Omit<NewAction, 'callbackId' | 'deliveryIds'>,
): NewAction[] {
  const byCallback = new Map<number, number[]>();
  for (const { id, callback_id } of rows) {
    byCallback.set(callback_id, [...(byCallback.get(callback_id) ?? []), id]);
  }
  return [...byCallback].map(([callbackId, deliveryIds]) => ({ ...common, callbackId, deliveryIds }));
}

/** A header or a name on a command line may hold anything. */
const LONGEST_NAME = 200;

export function actorText({ via, user, from }: Actor): string {
  const named = user === undefined ? undefined : shortText(cleanText(user), LONGEST_NAME);
  return JSON.stringify({ via, user: named, from: shortText(cleanText(from), LONGEST_NAME) });
}

export function noteText(note: string | undefined): string | null {
  return note === undefined ? null : shortText(cleanText(note), LONGEST_TEXT);
}

export function actorIn(json: string): Actor {
  const { via, user, from } = JSON.parse(json) as Actor;
  return { via, user, from };
}

/**
 * @param subject what it is done to: one page may ask for several things with the same nonce
 * @returns as it is kept, whatever its length; undefined: it is not asked for only once
 */
export function nonceFor(
  what: string,
  subject: number | undefined,
  { nonce }: ActionRequest,
): string | undefined {
  return nonce === undefined ? undefined : hash('sha256', JSON.stringify([what, subject, nonce]), 'hex');
}

/** What was done before by the same nonce. */
export async function doneBefore(
  { trx }: Pick<ActionContext, 'trx'>,
  nonce: string | undefined,
): Promise<Selectable<ActionRow> | undefined> {
  if (nonce === undefined) return undefined;
  return trx.selectFrom('actions').selectAll().where('nonce', '=', nonce).executeTakeFirst();
}

/** Before they are done: how their deliveries had ended is written with them. */
export async function writeActions(
  { trx, now }: Pick<ActionContext, 'trx' | 'now'>,
  actions: readonly NewAction[],
): Promise<void> {
  if (actions.length === 0) return;
  const ended = await endedAmong(
    trx,
    actions.flatMap(({ deliveryIds }) => deliveryIds),
  );
  await trx
    .insertInto('actions')
    .values(actions.map((action) => actionRow(action, ended, now)))
    .execute();
}

/** How those of these deliveries had ended that have. */
export async function endedAmong(
  db: Kysely<Tables>,
  ids: readonly number[],
): Promise<readonly EndedBefore[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('deliveries')
    .select(['id', 'state', 'updated_at', 'held_because', 'error_class', 'error_code', 'error_message'])
    .where('id', 'in', ids)
    .where('state', 'in', ['dead', 'held'])
    .execute();
  return rows.map((row) => ({
    deliveryId: row.id,
    state: row.state as EndedBefore['state'],
    updatedAt: row.updated_at,
    hold: row.held_because === null ? undefined : { code: row.held_because },
    lastError: errorIn(row),
  }));
}

function actionRow(action: NewAction, ended: readonly EndedBefore[], at: number): Insertable<ActionRow> {
  const own = ended.filter(({ deliveryId }) => action.deliveryIds.includes(deliveryId));
  return {
    callback_id: action.callbackId,
    at,
    what: action.what,
    actor: actorText(action.actor),
    note: noteText(action.note),
    delivery_ids: JSON.stringify(action.deliveryIds),
    outcome: action.outcome ?? null,
    ended_before: own.length === 0 ? null : JSON.stringify(own),
    bulk_id: action.bulkId ?? null,
    nonce: action.nonce ?? null,
  };
}

/** Of one callback, the newest. */
const MOST_READ = 500;

/** In the order in which they were done. */
export async function actionsOn(db: Kysely<Tables>, callbackId: number): Promise<readonly ActionRecord[]> {
  const rows = await db
    .selectFrom('actions')
    .selectAll()
    .where('callback_id', '=', callbackId)
    .orderBy('id', 'desc')
    .limit(MOST_READ)
    .execute();
  return rows.toReversed().map((row) => ({
    at: row.at,
    what: row.what as ActionRecord['what'],
    deliveryIds: JSON.parse(row.delivery_ids) as number[],
    actor: actorIn(row.actor),
    note: row.note ?? undefined,
    bulkId: row.bulk_id ?? undefined,
    endedBefore: JSON.parse(row.ended_before ?? '[]') as EndedBefore[],
  }));
}
