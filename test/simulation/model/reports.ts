/** Section 12: a report says of each BOT how often it ran and for how long; a run counts once, whatever came of it how often. */
import { elapsedOf } from '../keys.ts';
import type { Admitted } from '../observed.ts';
import { BOTS, type Send } from '../scenario.ts';
import { type Broken, type History, isOfOneJob } from './history.ts';

export function judgeReports(history: History, broken: Broken): void {
  const { reported } = history.observed;
  if (reported === undefined || history.hasSetClocks) return;
  for (const bot of BOTS) {
    const {
      bot_id: _,
      running_seconds: seconds,
      ...said
    } = reported.find((each) => each.bot_id === bot) ?? {
      ...NOTHING,
      bot_id: bot,
    };
    const callbacks = history.admitted.filter(({ send }) => send.bot === bot);
    const runs = callbacks.filter(
      (each) => !callbacks.some(({ id, send }) => id < each.id && isOfOneJob(each, { send })),
    );
    const [least, most] = [true, false].map((isSure) =>
      runs.reduce((sum, { send }) => sum + elapsedIn(history, send, isSure), 0),
    ) as [number, number];
    const right = { ...countsOf(callbacks, runs), ...noticesOf(history, bot) };
    for (const name of Object.keys(right) as (keyof typeof right)[])
      if (said[name] !== right[name])
        broken('a run counts once', `${bot}: ${said[name]} ${name} in the report, not ${right[name]}`);
    if (seconds < least || seconds > most)
      broken('a run is as long as it is said to be', `${bot}: ${seconds} s, not ${least} s to ${most} s`);
  }
}

const NOTHING = {
  runs: 0,
  unfinished: 0,
  succeeded: 0,
  errors: 0,
  missed: 0,
  overdue: 0,
  running_seconds: 0,
};

/** By the last result of each. */
function countsOf(callbacks: readonly Admitted[], runs: readonly Admitted[]) {
  const ends = runs.map(
    (run) => callbacks.findLast((each) => each.send.status !== 2 && isOfOneJob(each, run))?.send.status,
  );
  const count = (status: Send['status'] | undefined) => ends.filter((end) => end === status).length;
  return { runs: runs.length, unfinished: count(undefined), succeeded: count(0), errors: count(1) };
}

function noticesOf({ observed }: History, bot: string) {
  const count = (of: string) =>
    observed.listed.filter(({ kind, bot_id }) => kind === of && bot_id === bot).length;
  return { missed: count('missed'), overdue: count('overdue') };
}

/** The longest that any POST of the run has said. @param isSure of those that were answered for themselves; else of all */
function elapsedIn({ observed }: History, { job, bot }: Send, isSure: boolean): number {
  const said = observed.posts.filter(
    ({ send, status, result }) =>
      send.job === job && send.bot === bot && (!isSure || (status === 200 && result !== undefined)),
  );
  return Math.max(0, ...said.map(({ send, nth }) => elapsedOf(send.nth, nth)));
}
