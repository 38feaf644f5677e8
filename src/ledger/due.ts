/** What is Botbell's own to attempt: claimed by one process at a time, in the order of each job. */
import { sql, type Kysely } from 'kysely';
import { isAlert } from '../notice/notice.ts';
import { noticeIn } from './alert-rows.ts';
import type { DialectTraits } from './dialect.ts';
import { isResult, stepsOf } from './job-order.ts';
import type { DueDelivery } from './ledger.ts';
import { earlierOfTheJob, holdBack, isPending, SUPERSEDED } from './pending-rows.ts';
import {
  type Claim,
  deliveryRecord,
  isClaimedColumn,
  jobIdOf,
  type StandingRow,
  type StoreTime,
} from './rows.ts';
import type { Tables } from './tables.ts';

export interface DueRequest {
  readonly claim: Claim;
  readonly limit: number;
  readonly pausedChannels: readonly string[];
}

export async function claimDue(
  trx: Kysely<Tables>,
  traits: DialectTraits,
  time: StoreTime,
  request: DueRequest,
): Promise<DueDelivery[]> {
  const ids = await dueIds(trx, traits, time, request);
  if (ids.length === 0) return [];
  const { owner, leaseMs } = request.claim;
  const rows = await trx
    .updateTable('deliveries')
    .set({ claimed_by: owner, claimed_until: time.in(leaseMs), is_ours: 1 })
    .where('id', 'in', ids)
    .returningAll()
    .returning(isClaimedColumn(time))
    .execute();
  const due = await withCallbacks(
    trx,
    rows.toSorted((a, b) => a.due_at - b.due_at),
  );
  return withoutSuperseded(trx, time, due);
}

async function dueIds(
  trx: Kysely<Tables>,
  traits: DialectTraits,
  time: StoreTime,
  { limit, pausedChannels }: DueRequest,
): Promise<number[]> {
  let query = trx
    .selectFrom('deliveries')
    .select('id')
    .where(isPending)
    .where('due_at', '<=', time.now)
    .where((eb) => eb.or([eb('claimed_until', 'is', null), eb('claimed_until', '<=', time.now)]))
    .where(sql<boolean>`not exists (${earlierOfTheJob(time)})`)
    .orderBy('due_at')
    .limit(limit);
  if (pausedChannels.length > 0) query = query.where('channel', 'not in', pausedChannels);
  const rows = await traits.lockRows(query).execute();
  return rows.map(({ id }) => id);
}

async function withCallbacks(trx: Kysely<Tables>, rows: readonly StandingRow[]): Promise<DueDelivery[]> {
  const callbacks = await trx
    .selectFrom('callbacks')
    .select(['id', 'kind', 'identity', 'body', 'times_received', 'received_at'])
    .where('id', 'in', [...new Set(rows.map((row) => row.callback_id))])
    .execute();
  const byId = new Map(callbacks.map((callback) => [callback.id, callback]));
  return rows.flatMap((row) => {
    const callback = byId.get(row.callback_id);
    if (callback === undefined) return [];
    return {
      record: deliveryRecord(row),
      callbackId: callback.id,
      notice: noticeIn(callback),
      firstReceivedAt: callback.received_at,
    };
  });
}

/** A start that could not be told before its result came is not told any more. */
async function withoutSuperseded(
  trx: Kysely<Tables>,
  time: StoreTime,
  due: readonly DueDelivery[],
): Promise<DueDelivery[]> {
  const starts = due.flatMap((each) => {
    const { notice } = each;
    return isAlert(notice) || isResult(notice.callback) ? [] : { each, jobId: jobIdOf(notice.callback) };
  });
  if (starts.length === 0) return [...due];
  const steps = await stepsOf(
    trx,
    starts.map(({ jobId }) => jobId),
    time,
  );
  const finished = new Set(steps.filter(isResult).map(({ jobId }) => jobId));
  const superseded = starts.filter(({ jobId }) => finished.has(jobId)).map(({ each }) => each);
  await holdBack(
    trx,
    time,
    superseded.map(({ record }) => record.id),
    SUPERSEDED,
  );
  return due.filter((each) => !superseded.includes(each));
}
