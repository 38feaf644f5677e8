/** What a job's callbacks cost, by how many of them there were before. */
import { writeCallbacks } from './callbacks.ts';
import { Load } from './load.ts';
import { deliverAll } from './measure.ts';
import type { GrowthEffort } from './options.ts';
import type { StandIns } from './stand-ins.ts';
import { botbell, type BotbellOptions } from './subjects.ts';

/** As many as are posted at once, so that none waits for another one of its job. */
const JOBS = 64;

const EARLY = 50;

/** So many of each job are measured, around the one that is named. */
const WINDOW = 50;

export interface JobCost {
  /** Which callback of its job. */
  readonly place: number;
  /** CPU µs per notification. */
  readonly cpuMicros: number;
}

export async function measureLongJobs(
  standIns: StandIns,
  { longJob, warmUp }: GrowthEffort,
  common: BotbellOptions,
): Promise<readonly JobCost[]> {
  console.error(`growth: ${JOBS} jobs of ${longJob} callbacks`);
  const running = await botbell('long jobs', common).start(standIns);
  const load = new Load(running.url);
  const post = async (callbacks: number) => {
    const before = running.child.cpuMicros();
    const batch = writeCallbacks(callbacks * JOBS, (index) => `long-job-${index % JOBS}`);
    await load.saturate(batch);
    await standIns.verify(batch);
    return (running.child.cpuMicros() - before) / (callbacks * JOBS);
  };
  try {
    await deliverAll(load, warmUp, standIns);
    const costs: JobCost[] = [];
    let posted = 0;
    for (const place of [EARLY, longJob]) {
      for (const first = place - WINDOW / 2; posted < first; posted += WINDOW / 2) await post(WINDOW / 2);
      costs.push({ place, cpuMicros: await post(WINDOW) });
      posted += WINDOW;
    }
    return costs;
  } finally {
    await load.close();
    await running.end();
  }
}
