/** The order inside a job: what overtakes what, and who must wait for whom. */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { StoreTime } from './rows.ts';
import type { Tables } from './tables.ts';

/** `status` of a callback whose job has begun and not ended (callback interface). */
export const EXECUTING = 2;

/** A callback of a job, once for each delivery of it that is pending, or once without any. */
export interface JobStep {
  readonly callbackId: number;
  readonly jobId: string;
  readonly status: number;
  readonly pending:
    { readonly id: number; readonly destination: string; readonly isClaimed: boolean } | undefined;
}

export function isResult({ status }: Pick<JobStep, 'status'>): boolean {
  return status !== EXECUTING;
}

/** All that is known of these jobs, oldest first. */
export async function stepsOf(
  trx: Kysely<Tables>,
  jobIds: readonly string[],
  { now }: StoreTime,
): Promise<JobStep[]> {
  const rows = await trx
    .selectFrom('callbacks')
    .leftJoin('deliveries', (join) =>
      join.onRef('deliveries.callback_id', '=', 'callbacks.id').on('deliveries.state', '=', 'pending'),
    )
    .select([
      'callbacks.id as callbackId',
      'callbacks.job_id as jobId',
      'callbacks.status as status',
      'deliveries.id as id',
      'deliveries.destination as destination',
      sql<number>`case when deliveries.claimed_until > ${now} then 1 else 0 end`.as('isClaimed'),
    ])
    .where('callbacks.job_id', 'in', [...new Set(jobIds)])
    .where('callbacks.kind', '=', 'callback')
    .orderBy('callbacks.id')
    .execute();
  return rows.map(({ callbackId, jobId, status, id, destination, isClaimed }) => ({
    callbackId,
    jobId,
    status,
    pending:
      id === null || destination === null ? undefined : { id, destination, isClaimed: isClaimed === 1 },
  }));
}

export interface Overtaken {
  readonly id: number;
  readonly destination: string;
}

export interface Order {
  /** An `executing` after its result: nobody is to be told. */
  readonly isSuperseded: boolean;
  /** Pending `executing` deliveries, in nobody's hands, that this result makes pointless. */
  readonly overtaken: readonly Overtaken[];
  /** Destinations to which something earlier of the job is still on its way. */
  readonly busyDestinations: ReadonlySet<string>;
}

/** Of the only callback of its job. */
export const NOTHING_BEFORE: Order = { isSuperseded: false, overtaken: [], busyDestinations: new Set() };

/** @param earlier the steps of the same job that came before */
export function orderAfter(status: number, earlier: readonly JobStep[]): Order {
  const isSuperseded = !isResult({ status }) && earlier.some(isResult);
  const open = earlier.flatMap((step) => (step.pending === undefined ? [] : [{ ...step.pending, step }]));
  const isOvertaken = ({ step, isClaimed }: (typeof open)[number]) =>
    isResult({ status }) && !isResult(step) && !isClaimed;
  return {
    isSuperseded,
    overtaken: open.filter(isOvertaken).map(({ id, destination }) => ({ id, destination })),
    busyDestinations: new Set(
      open.filter((each) => !isOvertaken(each)).map(({ destination }) => destination),
    ),
  };
}

/** Somebody may have begun to send a start just before it could be held back: then the result waits for it. */
export function withoutHeld(order: Order, held: ReadonlySet<number>): Order {
  const begun = order.overtaken.filter(({ id }) => !held.has(id));
  const busy = begun.map(({ destination }) => destination);
  return { ...order, busyDestinations: new Set([...order.busyDestinations, ...busy]) };
}
