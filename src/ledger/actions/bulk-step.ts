/** One step of a redelivery in bulk: a short transaction, by whichever process gets to it first. */
import type { Selectable } from 'kysely';
import type { BulkRow } from '../tables.ts';
import {
  type ActionContext,
  actionsByCallback,
  actorIn,
  type NewAction,
  writeActions,
} from './action-rows.ts';
import type { BulkKind, BulkStep, RedeliveryFilter } from './actions.ts';
import { isRunning } from './bulk-rows.ts';
import { LOOKED_AT_ONCE, type Matching, matchingAmong, undeliveredAmong } from './find-undelivered.ts';
import { giveBack, lockStanding, markDismissed } from './standing.ts';
import { withdrawStep } from './withdraw.ts';

/** Takes SQLite some milliseconds. */
const GIVEN_AT_ONCE = 100;

export const NOTHING_TO_DO: BulkStep = { isMore: false, given: 0, withdrawn: 0, ended: undefined };

/** @param onDone with the id of a callback of which something was dismissed */
export async function bulkStep(
  context: ActionContext,
  onDone: (callbackId: number) => void,
): Promise<BulkStep> {
  const withdrawn = await withdrawStep(context);
  return withdrawn > 0 ? { ...NOTHING_TO_DO, isMore: true, withdrawn } : givingStep(context, onDone);
}

async function givingStep(context: ActionContext, onDone: (callbackId: number) => void): Promise<BulkStep> {
  const { trx, traits } = context;
  const first = trx.selectFrom('bulks').selectAll().where(isRunning).orderBy('id').limit(1);
  const [bulk] = await traits.lockRows(first).execute();
  if (bulk === undefined) return NOTHING_TO_DO;
  const filter = JSON.parse(bulk.filter) as RedeliveryFilter;
  const looked = await undeliveredAmong(trx, filter, { after: bulk.looked_at, until: bulk.until_id });
  const matching = await matchingAmong(trx, filter, looked);
  const isCut = matching.length > GIVEN_AT_ONCE;
  const given = await give(context, bulk, filter, matching.slice(0, GIVEN_AT_ONCE));
  if (bulk.what === 'dismissed') given.forEach(({ callback_id }) => onDone(callback_id));
  const last = isCut ? matching[GIVEN_AT_ONCE - 1]?.id : looked.at(-1);
  const isOver = !isCut && looked.length < LOOKED_AT_ONCE;
  const total = bulk.given + given.length;
  await noteStep(context, bulk.id, { lookedAt: last ?? bulk.until_id, total, isOver });
  const ended = isOver ? { id: bulk.id, what: bulk.what as BulkKind, given: total } : undefined;
  return { isMore: true, given: given.length, withdrawn: 0, ended };
}

/** What somebody else has changed meanwhile is left alone. */
async function give(
  context: ActionContext,
  bulk: Selectable<BulkRow>,
  filter: RedeliveryFilter,
  found: readonly Matching[],
): Promise<readonly Matching[]> {
  const locked = await lockStanding(context, found);
  const rows = await matchingAmong(
    context.trx,
    filter,
    locked.map(({ id }) => id),
  );
  const ids = rows.map(({ id }) => id);
  await writeActions(context, actionsFor(bulk, rows));
  if (bulk.what === 'dismissed') await markDismissed(context, ids);
  else await giveBack(context, ids, bulk.id);
  return rows;
}

function actionsFor(bulk: Selectable<BulkRow>, rows: readonly Matching[]): NewAction[] {
  return actionsByCallback(rows, {
    what: bulk.what as BulkKind,
    actor: actorIn(bulk.actor),
    note: bulk.note ?? undefined,
    nonce: undefined,
    bulkId: bulk.id,
  });
}

async function noteStep(
  { trx, now }: ActionContext,
  id: number,
  {
    lookedAt,
    total,
    isOver,
  }: { readonly lookedAt: number; readonly total: number; readonly isOver: boolean },
): Promise<void> {
  const end = isOver ? { state: 'done', ended_at: now } : {};
  await trx
    .updateTable('bulks')
    .set({ looked_at: lookedAt, given: total, ...end })
    .where('id', '=', id)
    .execute();
}
