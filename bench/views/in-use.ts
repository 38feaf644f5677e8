/** What POSTs take while somebody uses the page, beside what they take while nobody does. */
import { setTimeout as sleep } from 'node:timers/promises';
import { writeCallbacks } from '../callbacks.ts';
import type { Load } from '../load.ts';
import { FIXED_RATE, type Laboratory } from '../measure.ts';
import { median, percentile } from '../statistics.ts';
import { ask, type Visit } from './visits.ts';

/** More than any person asks for. */
const PAUSE_MS = 200;

/** Not counted: the pace begins. */
const LEAD_IN_SECONDS = 1;

export interface PostFigures {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

export interface InUse {
  readonly alone: PostFigures;
  readonly inUse: PostFigures;
  /** Asked for meanwhile. */
  readonly views: number;
}

export interface InUseEffort {
  readonly rounds: number;
  readonly seconds: number;
}

/** In turns, so that a machine that gets slower in between is not read as the page's doing. */
export async function measureInUse(
  load: Load,
  { origin, visits }: { readonly origin: string; readonly visits: readonly Visit[] },
  laboratory: Laboratory,
  { rounds, seconds }: InUseEffort,
): Promise<InUse> {
  const alone: PostFigures[] = [];
  const inUse: PostFigures[] = [];
  let views = 0;
  for (let round = 0; round < rounds; round += 1) {
    alone.push(await postAtRate(load, laboratory, seconds));
    const somebody = new Somebody(origin, visits);
    inUse.push(await postAtRate(load, laboratory, seconds));
    views += await somebody.leave();
  }
  return { alone: medians(alone), inUse: medians(inUse), views };
}

async function postAtRate(
  load: Load,
  { metronome, standIns }: Laboratory,
  seconds: number,
): Promise<PostFigures> {
  const leadIn = FIXED_RATE * LEAD_IN_SECONDS;
  const batch = writeCallbacks(leadIn + FIXED_RATE * seconds);
  const latencies = (await load.atRate(batch, FIXED_RATE, metronome)).slice(leadIn);
  await standIns.verify(batch);
  return {
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    p999: percentile(latencies, 0.999),
  };
}

function medians(figures: readonly PostFigures[]): PostFigures {
  return {
    p50: median(figures.map(({ p50 }) => p50)),
    p99: median(figures.map(({ p99 }) => p99)),
    p999: median(figures.map(({ p999 }) => p999)),
  };
}

/** Goes from view to view. */
class Somebody {
  readonly #left = new AbortController();
  readonly #looking: Promise<number>;

  constructor(origin: string, visits: readonly Visit[]) {
    this.#looking = this.#look(origin, visits);
  }

  async #look(origin: string, visits: readonly Visit[]): Promise<number> {
    let views = 0;
    for (; !this.#left.signal.aborted; views += 1) {
      const visit = visits[views % visits.length];
      if (visit !== undefined) await ask(origin, visit);
      await sleep(PAUSE_MS);
    }
    return views;
  }

  /** @returns how many views they saw */
  async leave(): Promise<number> {
    this.#left.abort();
    return this.#looking;
  }
}
