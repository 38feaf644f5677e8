/** Measures what replicas over one PostgreSQL do together, on the cores that one has. */
import { Load } from './load.ts';
import { deliverAll, type Effort } from './measure.ts';
import { StandIns } from './stand-ins.ts';
import { median, orderInRound } from './statistics.ts';
import { botbell } from './subjects.ts';

const REPLICAS = [1, 2, 4] as const;

/** Callbacks that do not count, for each replica: all are equally warm, and seven start in each round. */
const WARM_UP = 3000;

export interface Together {
  readonly replicas: number;
  /** Callbacks answered per second, by all: the median of the rounds. */
  readonly perSecond: number;
}

/** @param store URL of an empty PostgreSQL database @throws {Error} a callback arrived twice, or not at all */
export async function measureReplicas(store: string, effort: Effort): Promise<Together[]> {
  const measured = REPLICAS.map((replicas) => ({ replicas, rounds: [] as number[] }));
  for (let round = 0; round < effort.rounds; round += 1)
    for (const { replicas, rounds } of orderInRound(measured, round))
      rounds.push(await perSecondOf(replicas, store, effort));
  return measured.map(({ replicas, rounds }) => ({ replicas, perSecond: median(rounds) }));
}

async function perSecondOf(replicas: number, store: string, { measured }: Effort): Promise<number> {
  const standIns = await StandIns.start();
  const starting = Array.from({ length: replicas }, () => botbell('replica', { store }).start(standIns));
  const running = await Promise.all(starting);
  const load = new Load(...running.map(({ url }) => url));
  try {
    await deliverAll(load, WARM_UP * replicas, standIns);
    return await deliverAll(load, measured, standIns);
  } finally {
    await load.close();
    await Promise.all(running.map((each) => each.end()));
    await standIns.close();
  }
}
