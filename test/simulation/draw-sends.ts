/** Draws what the service posts: runs that begin, end, and sometimes end twice. */
import type { Frame } from './draw-config.ts';
import type { Random } from './random.ts';
import { BOTS, type ConfigPlan, SECOND, type Send, type Status } from './scenario.ts';

type Drawn = Omit<Send, 'nth'>;

export function drawSends(random: Random, frame: Frame, { routes }: ConfigPlan): readonly Send[] {
  const jobs = frame.isCrowded ? random.int(10, 30) : random.int(2, random.of([6, 14, 24]));
  // A flood: many jobs within seconds.
  const rush = frame.isCrowded ? random.int(0, frame.lastsMs / 2) : undefined;
  const drawn = Array.from({ length: jobs }, (_, job) => {
    const at = rush === undefined ? random.int(0, frame.lastsMs) : rush + random.int(0, 3000);
    // Two BOTs may call their jobs the same.
    const number = random.chance(0.1) ? Math.max(0, job - 1) : job;
    const bot = random.of(BOTS);
    const isWatched = routes.some(({ bots, overdueMin }) => overdueMin !== undefined && bots.includes(bot));
    return jobOf(random, frame, { job: `job-${number}`, bot, at, isLong: isWatched && random.chance(0.5) });
  }).flat();
  const counting = routes.filter(({ repeat, afterFailures }) => repeat ?? afterFailures);
  const busy = random.of([...BOTS, ...counting.flatMap(({ bots }) => [...bots, ...bots, ...bots])]);
  if (frame.hasRules && random.chance(0.4)) drawn.push(...busyBot(random, frame, busy));
  return drawn.sort((a, b) => a.at - b.at).map((send, index) => ({ ...send, nth: index + 1 }));
}

/** A bad night: one BOT runs again and again, and mostly fails several times in a row. */
function busyBot(random: Random, { lastsMs }: Frame, bot: string): Drawn[] {
  const runs = random.int(8, 24);
  let isFailing = random.chance(0.5);
  return Array.from({ length: runs }, (_, run): Drawn => {
    const at = Math.round((lastsMs * (run + random.next())) / runs);
    isFailing = random.chance(0.25) ? !isFailing : isFailing;
    const message = isFailing ? random.of(['no login', 'no login', `at row ${random.int(1, 99)}`]) : '';
    const about = { job: `run-${run}`, bot, startedAt: at - random.int(1, 10) * SECOND };
    return { ...about, at, status: isFailing ? 1 : 0, message, code: 1, tries: 3 };
  });
}

function jobOf(
  random: Random,
  { hasRules }: Frame,
  { job, bot, at, isLong }: Pick<Send, 'job' | 'bot' | 'at'> & { readonly isLong: boolean },
): Drawn[] {
  // Some runs end while destinations are still being told of their start.
  const short = random.chance(0.4) ? random.int(20, 4000) : random.int(1, 200) * SECOND;
  const runs = isLong ? random.int(100, 500) * SECOND : short;
  const about = { job, bot, startedAt: at - random.int(0, 30) * SECOND };
  const result: Status = random.chance(hasRules ? 0.65 : 0.5) ? 1 : 0;
  const late = runs + random.int(0, 40) * SECOND;
  const startAt = at + (random.chance(0.1) ? late : 0);
  const message = result === 1 ? random.of(['no login', 'no disk', `at row ${random.int(1, 99)}`]) : '';
  const sends: Drawn[] = [];
  if (random.chance(0.6)) sends.push({ ...about, at: startAt, status: 2, message: '', ...moreOf(random) });
  if (random.chance(0.9)) sends.push({ ...about, at: at + runs, status: result, message, ...moreOf(random) });
  const again = at + runs + random.of([30, 100, 300, 2000, 20_000, 60_000]);
  if (random.chance(0.4)) sends.push({ ...about, at: again, status: 0, message: 'again', ...moreOf(random) });
  return sends;
}

function moreOf(random: Random): Pick<Send, 'tries' | 'code' | 'againAfter'> {
  const tries = random.of([1, 2, 3, 10]);
  const code = random.chance(0.15) ? 7 : 1;
  const againAfter = random.of([0, 20, 500, 4000, 31_000, 45_000, 60_000]);
  return random.chance(0.3) ? { tries, code, againAfter } : { tries, code };
}
