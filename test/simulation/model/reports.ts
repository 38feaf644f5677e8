/** Section 12: a report counts each run once, by its last result and its longest time, whatever was retried, lost or crashed. */
import { elapsedOf } from '../keys.ts';
import { BOTS } from '../scenario.ts';
import { incidentsOf } from './troubles.ts';
import type { Admitted, ReportedBot } from '../observed.ts';
import type { History } from './history.ts';

export function* judgeReports(history: History) {
  // A run whose callback came while a clock was ahead may count on a day that has not come.
  if (history.hasSetClocks) return;
  for (const bot of BOTS) yield* ofBot(history, bot);
}

function* ofBot(history: History, bot: string) {
  const reported = history.observed.reported.find(({ bot_id: id }) => id === bot);
  const came = history.admitted.filter(({ send }) => send.bot === bot);
  const jobs = [...new Set(came.map(({ send }) => send.job))];
  const runs = jobs.map((job) => came.filter(({ send }) => send.job === job));
  const ended = runs.map((ofJob) => ofJob.findLast(({ send }) => send.status !== 2)?.send.status);
  const noticed = (kind: string) =>
    history.observed.listed.filter((each) => each.kind === kind && each.bot_id === bot).length;
  const expected: Partial<ReportedBot> = {
    runs: runs.length,
    unfinished: ended.filter((status) => status === undefined).length,
    succeeded: ended.filter((status) => status === 0).length,
    errors: ended.filter((status) => status === 1).length,
    missed: noticed('missed'),
    overdue: noticed('overdue'),
    incidents: incidentsOf(history, bot).length,
  };
  for (const [name, count] of Object.entries(expected)) {
    const said = reported?.[name as keyof ReportedBot] ?? 0;
    if (said !== count) yield `a report counts what came: ${name} of ${bot}: ${said}, and ${count} came`;
  }
  const least = sumOf(runs, (one) => longest(history, one, isTaken));
  const most = sumOf(runs, (one) => longest(history, one, () => true));
  const seconds = reported?.running_seconds ?? 0;
  if (seconds < least || seconds > most)
    yield `a report counts the longest time of a run: ${bot} ran ${seconds} s, between ${least} and ${most}`;
}

/** Whether an answer shows that the callback was read and written. */
const isTaken = (status: number | undefined) => status === 200 || status === 502 || status === 504;

function longest(
  history: History,
  ofJob: readonly Admitted[],
  counts: (status: number | undefined) => boolean,
): number {
  const posts = ofJob.flatMap(({ send }) => history.postsOf(send));
  return Math.max(
    0,
    ...posts.flatMap(({ send, nth, status }) => (counts(status) ? [elapsedOf(send.nth, nth)] : [])),
  );
}

function sumOf<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}
