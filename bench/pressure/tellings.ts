/** When each callback was told at a destination. */
import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, type Figure, figure, latencies } from './figures.ts';
import type { Posting } from './job-service.ts';
import type { Remotes, RemotesReport } from './remotes.ts';

const LOOK_EVERY_MS = 500;

export interface Tellings {
  readonly count: number;
  readonly told: number;
  /** Told more than once. */
  readonly twice: number;
  /** From the first POST on, milliseconds; for whoever was not told, until the report. */
  readonly latenciesMs: readonly number[];
  /** From the first POST of all to the last telling, milliseconds; until the report while anybody is not told. */
  readonly lastMs: number;
}

export function tellingsOf(
  postings: readonly Posting[],
  destinationOf: (posting: Posting) => string,
  { told }: RemotesReport,
  now = Date.now(),
): Tellings {
  const times = new Map<string, number[]>();
  for (const { what, at } of told) times.set(what, [...(times.get(what) ?? []), at]);
  const timesOf = (posting: Posting) => times.get(`${posting.key} ${destinationOf(posting)}`) ?? [];
  const firstPostedAt = Math.min(...postings.map(({ postedAt }) => postedAt));
  const firstTold = postings.flatMap((posting) => timesOf(posting)[0] ?? []);
  return {
    count: postings.length,
    told: firstTold.length,
    twice: postings.filter((posting) => timesOf(posting).length > 1).length,
    latenciesMs: postings.map((posting) => (timesOf(posting)[0] ?? now) - posting.postedAt),
    lastMs: (firstTold.length < postings.length ? now : Math.max(...firstTold)) - firstPostedAt,
  };
}

/** Looks at the remotes until it is enough. @returns the last report */
export async function watch(
  remotes: Remotes,
  forMs: number,
  isEnough: (report: RemotesReport) => boolean,
): Promise<RemotesReport> {
  const end = performance.now() + forMs;
  for (;;) {
    const report = await remotes.report();
    if (performance.now() >= end || isEnough(report)) return report;
    await sleep(LOOK_EVERY_MS);
  }
}

/** All of them are to be told, and the latencies have limits. */
export function tellingFigures(
  name: string,
  tellings: Tellings,
  limits: Parameters<typeof latencies>[2] = {},
): Figure[] {
  return [
    atLeast(`${name}: told`, tellings.told, tellings.count, `of ${tellings.count}`),
    figure(`${name}: told twice`, tellings.twice),
    ...latencies(`${name}: until told`, tellings.latenciesMs, limits),
  ];
}
