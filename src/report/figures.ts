/** The figures of runs: pure. Days are as `signal/calendar.ts` has them. */
import type { StatusCode } from '../callback/callback.ts';
import { DAY_MS } from '../signal/calendar.ts';

/** The figures of a BOT's day, or sums of these. A run counts on the day on which it started, all else on the day on which it came. */
export interface Figures {
  readonly runs: number;
  /** Runs without a result. */
  readonly unfinished: number;
  readonly succeeded: number;
  readonly errors: number;
  /** Results that were due and did not come, and runs that were executing for too long, where routes ask for these. */
  readonly missed: number;
  readonly overdue: number;
  /** Running time. */
  readonly runningMs: number;
  /** Runs of which no callback gave the running time: it is counted from their start to their result. */
  readonly estimated: number;
  /** What Botbell took to answer, and how many answers made the service post again, each after 30 s. */
  readonly answerMs: number;
  readonly retries: number;
}

export const NO_FIGURES: Figures = {
  runs: 0,
  unfinished: 0,
  succeeded: 0,
  errors: 0,
  missed: 0,
  overdue: 0,
  runningMs: 0,
  estimated: 0,
  answerMs: 0,
  retries: 0,
};

export const FIGURES = Object.keys(NO_FIGURES) as readonly (keyof Figures)[];

/** The running time that each answer other than 2xx costs, as the callback interface says. */
export const RETRY_MS = 30_000;

export function sumOf(some: readonly Partial<Figures>[]): Figures {
  const sum = { ...NO_FIGURES } as Record<keyof Figures, number>;
  for (const each of some) for (const name of FIGURES) sum[name] += each[name] ?? 0;
  return sum;
}

/** What is known of a run from its callbacks so far. */
export interface KnownRun {
  readonly day: number;
  /** Of its last result; 2: none has come. */
  readonly status: StatusCode;
  /** The longest time that a callback gave. */
  readonly elapsedMs: number | undefined;
  /** From its start to its first result. */
  readonly estimatedMs: number | undefined;
}

/** A callback of a run. */
export interface CameOfRun {
  readonly status: StatusCode;
  readonly startedAt: number;
  readonly receivedAt: number;
  readonly elapsedSeconds: number | undefined;
}

/** An earlier start is not believed: the run counts as begun when its callback came. */
const LONGEST_RUN_MS = 31 * DAY_MS;

/** A longer time is cut to this: it is a mistake, or a jest, and would be all that a report shows. */
const MOST_ELAPSED_MS = 400 * DAY_MS;

/** @param dayOf the day of an instant */
export function withCallback(
  run: KnownRun | undefined,
  came: CameOfRun,
  dayOf: (instant: number) => number,
): KnownRun {
  const { status, startedAt, receivedAt } = came;
  const isBelieved = startedAt <= receivedAt && receivedAt - startedAt <= LONGEST_RUN_MS;
  const begunAt = isBelieved ? startedAt : receivedAt;
  const isResult = status !== 2;
  const known = {
    day: run?.day ?? dayOf(begunAt),
    status: isResult ? status : (run?.status ?? status),
    elapsedMs: run?.elapsedMs,
    estimatedMs: run?.estimatedMs ?? (isResult ? receivedAt - begunAt : undefined),
  };
  return withElapsed(known, came.elapsedSeconds);
}

/** A retry of the service may give a longer time. */
export function withElapsed(run: KnownRun, elapsedSeconds: number | undefined): KnownRun {
  if (elapsedSeconds === undefined) return run;
  const elapsedMs = Math.min(Math.round(elapsedSeconds * 1000), MOST_ELAPSED_MS);
  return { ...run, elapsedMs: Math.max(run.elapsedMs ?? 0, elapsedMs) };
}

export function figuresOfRun({ status, elapsedMs, estimatedMs }: KnownRun): Partial<Figures> {
  return {
    runs: 1,
    unfinished: status === 2 ? 1 : 0,
    succeeded: status === 0 ? 1 : 0,
    errors: status === 1 ? 1 : 0,
    runningMs: elapsedMs ?? estimatedMs ?? 0,
    estimated: elapsedMs === undefined && estimatedMs !== undefined ? 1 : 0,
  };
}
