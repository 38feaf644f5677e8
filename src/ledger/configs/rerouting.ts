/** What becomes of deliveries that the config no longer sends where they were to go, and of those that it sends there again. */
import { type Kysely, type Selectable, sql } from 'kysely';
import type { StatusCode } from '../../callback/callback.ts';
import type { FailureClass } from '../../channels/failure.ts';
import type { EndedBefore } from '../actions/action.ts';
import { endedAmong } from '../actions/action-rows.ts';
import { alertsToRaise, raiseAlerts } from '../alert-rows.ts';
import type {
  PendingRow,
  PlaceAmongPending,
  Rerouted,
  Rerouting,
  RoutedAgain,
  RoutedRow,
  UnroutedRow,
} from './config-store.ts';
import type { DialectTraits } from '../dialect.ts';
import type { HotStatements } from '../hot-statements.ts';
import type { CallbackKind, DeliveryState, DeliveryTarget } from '../ledger.ts';
import { makePending } from '../due/held.ts';
import { writeRouting } from './kept-routing.ts';
import type { NewRound } from './routing-rounds.ts';
import { isIdle, isPending, isUnrouted } from '../pending-rows.ts';
import { type Claim, standingColumns, type StoreTime, WAITS_FOR_EARLIER } from '../rows.ts';
import type { CallbackRow, DeliveryRow, Tables } from '../tables.ts';

export interface ReroutingContext {
  readonly trx: Kysely<Tables>;
  readonly time: StoreTime;
  readonly traits: DialectTraits;
  readonly statements: HotStatements;
  readonly owner: Claim['owner'];
  readonly takeOverAfterMs: number;
  /** Today's, by their names. */
  readonly channels: ReadonlyMap<string, string>;
}

const routedColumns = [
  'deliveries.id',
  'deliveries.destination',
  'deliveries.callback_id',
  'callbacks.kind',
  'callbacks.bot_id',
  'callbacks.status',
] as const;

/** Locks jobs, the callback, deliveries and causes, in this order, as everybody does. */
export async function routeAnew(context: ReroutingContext, rerouting: Rerouting): Promise<Rerouted> {
  const { trx, time, traits, statements, owner, takeOverAfterMs } = context;
  const { callbackId, update, routing } = rerouting;
  await traits.lockJobs(trx, await jobsOf(trx, [update.id]));
  await writeRouting(trx, time, new Map([[callbackId, { by: 'config', routing, revived: [] }]]));
  const siblings = await trx
    .selectFrom('deliveries')
    .selectAll()
    .where('callback_id', '=', callbackId)
    .execute();
  const own = siblings.find(({ id }) => id === update.id);
  if (own?.state !== 'pending' || own.claimed_by !== owner) return { added: [], hasReleased: false };
  const lacking = await lackingTargets(context, rerouting, siblings);
  await addDeliveries(context, callbackId, own.job_key ?? undefined, lacking);
  const settler = { owner, takeOverAfterMs };
  const { counted, hasReleased } = await statements.updateDeliveries({ trx, time }, [update], settler);
  await raiseAlerts({ trx, time }, statements, await alertsToRaise({ trx, time }, [update], counted));
  return { added: lacking.map(({ destination }) => destination), hasReleased };
}

async function jobsOf(trx: Kysely<Tables>, ids: readonly number[]): Promise<string[]> {
  const rows = await trx.selectFrom('deliveries').select('job_key').where('id', 'in', ids).execute();
  return [...new Set(rows.flatMap(({ job_key }) => job_key ?? []))];
}

async function lackingTargets(
  context: ReroutingContext,
  { callbackId, targets }: Rerouting,
  siblings: readonly Selectable<DeliveryRow>[],
): Promise<readonly DeliveryTarget[]> {
  const known = new Set(siblings.map(({ destination }) => destination));
  const isTold = await toldUnderAnotherName(context, [callbackId]);
  return targets.filter((target) => !known.has(target.destination) && !isTold(callbackId, target));
}

/** Whether an address was told under the name of a channel that is gone, and of the type that its channel has today. */
export async function toldUnderAnotherName(
  { trx, channels }: Pick<ReroutingContext, 'trx' | 'channels'>,
  callbackIds: readonly number[],
): Promise<(callbackId: number, target: Pick<DeliveryTarget, 'channel' | 'address'>) => boolean> {
  const told = await trx
    .selectFrom('deliveries')
    .innerJoin('channel_types', 'channel_types.name', 'deliveries.channel')
    .select(['callback_id', 'channel', 'address', 'type'])
    .where('callback_id', 'in', callbackIds)
    .where('state', '=', 'delivered')
    .execute();
  const gone = told.filter(({ channel }) => !channels.has(channel));
  return (callbackId, { channel, address }) =>
    gone.some(
      (each) =>
        each.callback_id === callbackId && each.address === address && each.type === channels.get(channel),
    );
}

/** @returns their ids, in order */
export async function addDeliveries(
  { trx, time, statements }: Pick<ReroutingContext, 'trx' | 'time' | 'statements'>,
  callbackId: number,
  jobId: string | undefined,
  targets: readonly DeliveryTarget[],
): Promise<readonly number[]> {
  if (targets.length === 0) return [];
  const places =
    jobId === undefined ? [] : targets.map(({ destination }) => ({ jobId, destination, callbackId }));
  const before = places.length === 0 ? [] : await statements.predecessors({ trx, time }, places);
  const initial = { claim: undefined, dueInMs: 0, isTakenOver: true };
  const rows = targets.map((target, index) => ({
    callbackId,
    jobId,
    target,
    initial,
    isBlocked: before[index] !== undefined,
  }));
  return statements.insertDeliveries({ trx, time }, rows);
}

/** Goes by the index of what is pending, and looks at no more than `limit` rows. */
export async function pendingAfter(
  db: Kysely<Tables>,
  time: StoreTime,
  { destination, isBulk, callbackId }: PlaceAmongPending,
  limit: number,
): Promise<readonly PendingRow[]> {
  const isPutOff = sql<number>`case
    when is_ours = 1 and due_at > ${time.now} and due_at < ${WAITS_FOR_EARLIER} and ${isIdle(time)} then 1 else 0 end`;
  const rows = await db
    .selectFrom('deliveries')
    .innerJoin('callbacks', 'callbacks.id', 'deliveries.callback_id')
    .select([...routedColumns, 'error_class', 'is_bulk', isPutOff.as('is_put_off')])
    .where(isPending)
    .where(
      sql<boolean>`(deliveries.destination, is_bulk, deliveries.callback_id) > (${destination}, ${Number(isBulk)}, ${callbackId})`,
    )
    .orderBy('deliveries.destination')
    .orderBy('is_bulk')
    .orderBy('deliveries.callback_id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    ...routedRow(row),
    lastErrorClass: (row.error_class ?? undefined) as FailureClass | undefined,
    isBulk: row.is_bulk === 1,
    isPutOff: row.is_put_off === 1,
  }));
}

/** What another transaction is writing at this moment is in its hands. */
export async function hasten(
  { trx, time, traits }: Pick<ReroutingContext, 'trx' | 'time' | 'traits'>,
  ids: readonly number[],
): Promise<void> {
  const putOff = trx
    .selectFrom('deliveries')
    .select('id')
    .where('id', 'in', ids)
    .where(isPending)
    .where('is_ours', '=', 1)
    .where('due_at', '>', time.now)
    .where('due_at', '<', WAITS_FOR_EARLIER)
    .where(isIdle(time))
    .orderBy('id');
  const rows = await traits.lockRows(putOff).execute();
  if (rows.length === 0) return;
  await trx
    .updateTable('deliveries')
    .set({ due_at: time.now })
    .where(
      'id',
      'in',
      rows.map(({ id }) => id),
    )
    .execute();
}

export async function unroutedAfter(
  db: Kysely<Tables>,
  time: StoreTime,
  after: number,
  limit: number,
): Promise<readonly UnroutedRow[]> {
  const [, age] = standingColumns(time);
  const rows = await db
    .selectFrom('deliveries')
    .innerJoin('callbacks', 'callbacks.id', 'deliveries.callback_id')
    .select([...routedColumns, 'state', age])
    .where(isUnrouted)
    .where('deliveries.id', '>', after)
    .orderBy('deliveries.id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...routedRow(row), state: row.state as DeliveryState, ageMs: row.age_ms }));
}

function routedRow({
  id,
  destination,
  callback_id: callbackId,
  kind,
  bot_id: botId,
  status,
}: Pick<Selectable<DeliveryRow>, 'id' | 'destination' | 'callback_id'> &
  Pick<Selectable<CallbackRow>, 'kind' | 'bot_id' | 'status'>): RoutedRow {
  return { id, destination, callbackId, kind: kind as CallbackKind, botId, status: status as StatusCode };
}

/** Locks jobs, callbacks and deliveries, in this order, as everybody does. */
export async function revive(
  context: ReroutingContext,
  routed: readonly RoutedAgain[],
): Promise<readonly number[]> {
  const { trx, time, traits } = context;
  const ids = routed.map(({ id }) => id);
  await traits.lockJobs(trx, await jobsOf(trx, ids));
  await traits.lockCallbacks(trx, await callbacksOf(trx, ids));
  await traits.lockDeliveries(trx, ids);
  const rows = await trx
    .selectFrom('deliveries')
    .select(['id', 'callback_id', 'channel', 'address'])
    .where('id', 'in', ids)
    .where(isUnrouted)
    .where('state', 'in', ['held', 'dead'])
    .execute();
  if (rows.length === 0) return [];
  const callbackIds = [...new Set(rows.map((row) => row.callback_id))];
  const isTold = await toldUnderAnotherName(context, callbackIds);
  const untold = rows.filter((row) => !isTold(row.callback_id, row));
  await writeRevivals(context, untold, routed);
  const revived = untold.map(({ id }) => id);
  await makePending(trx, time, revived, { counts_from: time.now, waited_ms: 0 });
  return revived;
}

async function callbacksOf(trx: Kysely<Tables>, ids: readonly number[]): Promise<number[]> {
  const rows = await trx.selectFrom('deliveries').select('callback_id').where('id', 'in', ids).execute();
  return [...new Set(rows.map((row) => row.callback_id))];
}

/** Before they are pending again: how they had ended is written with the routing that names them. */
async function writeRevivals(
  { trx, time }: Pick<ReroutingContext, 'trx' | 'time'>,
  rows: readonly Pick<Selectable<DeliveryRow>, 'id' | 'callback_id'>[],
  routed: readonly RoutedAgain[],
): Promise<void> {
  const callbackOf = new Map(rows.map((row) => [row.id, row.callback_id]));
  const routingOf = new Map(routed.map(({ id, routing }) => [callbackOf.get(id), routing]));
  const ended = await endedAmong(trx, [...callbackOf.keys()]);
  const rounds = new Map<number, NewRound & { revived: EndedBefore[] }>();
  for (const end of ended) {
    const callbackId = callbackOf.get(end.deliveryId) ?? 0;
    // Of what was only held back, nobody is told why its last attempt had failed.
    const revived = end.state === 'dead' ? end : { ...end, lastError: undefined };
    const round = rounds.get(callbackId);
    if (round !== undefined) round.revived.push(revived);
    else rounds.set(callbackId, { by: 'config', routing: routingOf.get(callbackId), revived: [revived] });
  }
  await writeRouting(trx, time, rounds);
}
