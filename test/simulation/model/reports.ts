/** Section 12: a report says of each BOT how often it ran and for how long; a run counts once, whatever came of it how often. */
import { isAlert } from '../../../src/notice/notice.ts';
import { elapsedOf } from '../keys.ts';
import type { Admitted } from '../observed.ts';
import { BOSS, BOTS, DAY, HOUR, SECOND, type Send } from '../scenario.ts';
import { type Broken, type History, isOfOneJob, seconds } from './history.ts';

export function judgeReports(history: History, broken: Broken): void {
  const { reported } = history.observed;
  if (reported === undefined || history.hasSetClocks) return;
  for (const bot of BOTS) {
    const {
      bot_id: _,
      running_seconds: seconds,
      ...said
    } = reported.inAll.find((each) => each.bot_id === bot) ?? {
      ...NOTHING,
      bot_id: bot,
    };
    const callbacks = history.admitted.filter(({ send }) => send.bot === bot);
    const runs = callbacks.filter((each) => !history.isBehind(each));
    const first = reported.onFirstDay.find((each) => each.bot_id === bot)?.runs ?? 0;
    const begun = runs.filter(({ send }) => isOnFirstDay(history, send)).length;
    if (first !== begun)
      broken('a run counts on the day it started', `${bot}: ${first} of the first day, not ${begun}`);
    const [least, most] = [true, false].map((isSure) => elapsedOfAll(history, runs, isSure)) as [
      number,
      number,
    ];
    const right = { ...countsOf(callbacks, runs), ...noticesOf(history, bot) };
    for (const name of Object.keys(right) as (keyof typeof right)[])
      if (said[name] !== right[name])
        broken('a run counts once', `${bot}: ${said[name]} ${name} in the report, not ${right[name]}`);
    if (seconds < least || seconds > most)
      broken('a run is as long as it is said to be', `${bot}: ${seconds} s, not ${least} s to ${most} s`);
  }
}

/** A look each minute, on a machine that sleeps while nothing happens. */
const WARNED_WITHIN_MS = 100 * SECOND;

/** Each percentage of the budget is told once, soon after it has been passed. */
export function judgeBudget(history: History, broken: Broken): void {
  const { warn = [] } = history.configOf({ config: 0 });
  const told = new Map<number, string>();
  for (const attempt of history.observed.attempts) {
    const { notice, key, destination, at } = attempt;
    if (!isAlert(notice) || notice.alert.subject.template !== 'budget') continue;
    const { passed } = notice.alert.subject;
    const isNews = (told.get(passed) ?? key) === key;
    told.set(passed, key);
    if (!isNews || destination !== BOSS)
      broken('a percentage of the budget is told once', `${passed} to ${destination} at ${seconds(at)}`);
    if (percentBy(history, at, false) < passed)
      broken('a percentage of the budget is told when it is passed', `${passed} at ${seconds(at)}`);
  }
  const known = history.now - WARNED_WITHIN_MS;
  if (history.hasSetClocks || !history.isCalm(known, history.now)) return;
  const used = percentBy(history, known, true);
  for (const each of warn.filter((percent) => used >= percent && !told.has(percent)))
    broken('a percentage of the budget is told', `${used.toFixed(1)} % are used, and ${each} was not told`);
}

/** What of an hour runs have taken by then. */
function percentBy(history: History, by: number, isSure: boolean): number {
  const runs = history.admitted.filter((each) => !history.isBehind(each));
  return (100 * elapsedOfAll(history, runs, isSure, by) * SECOND) / HOUR;
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

function isOnFirstDay({ scenario: { epoch } }: History, { startedAt }: Send): boolean {
  return Math.floor((epoch + startedAt) / DAY) === Math.floor(epoch / DAY);
}

function elapsedOfAll(history: History, runs: readonly Admitted[], isSure: boolean, by = Infinity): number {
  return runs.reduce((sum, { send }) => sum + elapsedIn(history, send, isSure, by), 0);
}

/** The longest that any POST of the run has said. @param isSure of those that were answered for themselves; else of all @param by when they came */
function elapsedIn({ observed }: History, { job, bot }: Send, isSure: boolean, by: number): number {
  const said = observed.posts.filter(
    ({ send, at, status, result }) =>
      send.job === job &&
      send.bot === bot &&
      at <= by &&
      (!isSure || (status === 200 && result !== undefined)),
  );
  return Math.max(0, ...said.map(({ send, nth }) => elapsedOf(send.nth, nth)));
}
