/** The execution result a job service POSTs, as its callback interface describes it. */

/** 0 = succeeded, 1 = error, 2 = executing (callback interface, "States and transitions"). */
export type StatusCode = 0 | 1 | 2;

export type StatusName = 'succeeded' | 'error' | 'executing';

const STATUS_NAMES = ['succeeded', 'error', 'executing'] as const satisfies readonly StatusName[];

export const ALL_STATUSES: readonly StatusName[] = STATUS_NAMES;

/** One checked callback: exactly what arrived, unknown fields included. `null` stands for absent in optional fields. */
export interface Callback {
  readonly code: number;
  readonly job_id: string;
  readonly bot_id: string;
  readonly bot_name: string;
  readonly status: StatusCode;
  /** ISO 8601 calendar date-time; without an offset it is read in the display's timezone. */
  readonly start_time: string;
  /** Seconds. */
  readonly elapsed_time?: number | null;
  readonly output?: Readonly<Record<string, unknown>> | null;
  readonly message?: string | null;
  readonly [unknownField: string]: unknown;
}

/** What passed the check, and what it found on the way. */
export interface CheckedCallback {
  readonly callback: Callback;
  /** What `start_time` says, in milliseconds since the epoch. */
  readonly startedAt: number;
}

export function statusNameOf(callback: Pick<Callback, 'status'>): StatusName {
  return STATUS_NAMES[callback.status];
}
