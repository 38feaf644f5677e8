/** Section 8: `overdue` and `missed` are told once, in time, and by one replica. */
import { isAlert, type Notice } from '../../../src/notice/notice.ts';
import type { Admitted, Attempt } from '../observed.ts';
import {
  type ConfigPlan,
  type ExpectPlan,
  MINUTE,
  type RoutePlan,
  routesOf,
  SECOND,
  type Send,
} from '../scenario.ts';
import { Expectation } from './facts.ts';
import { firstsOf, type History, isOfOneJob, LATE_MS, seconds } from './history.ts';
import { mutedUntil } from './ruling.ts';
import { type Snoozed, snoozesOf } from './snoozed.ts';

export function* judgeTimers(history: History) {
  const [config] = history.scenario.configs;
  if (config === undefined) return;
  const firsts = history.admitted.filter((admitted) => !history.isBehind(admitted));
  for (const first of firsts) yield* overdue(history, config, first);
  for (const bot of new Set(config.routes.flatMap(({ bots }) => bots))) yield* missed(history, config, bot);
}

function* overdue(history: History, config: ConfigPlan, first: Admitted) {
  const { bot, job, startedAt } = first.send;
  const told = history.observed.attempts.filter(({ notice }) => isOverdueOf(notice, first.send));
  const result = history.admitted.find((each) => isOfOneJob(each, first) && each.send.status !== 2);
  const resultAt = result?.at ?? Infinity;
  const routes = routesOf(config, bot);
  for (const route of first.send.status === 2 ? routes : [])
    if (route.overdueMin !== undefined) yield* overdueBy(history, { route, first, resultAt, told });
  for (const attempt of told) yield* stillTrue(history, attempt, resultAt);
  const due = Math.min(...told.map(({ at }) => at));
  const limits = routes.map(({ overdueMin = Infinity }) => overdueMin);
  const earliest = Math.min(startedAt, first.at) + Math.min(...limits) * MINUTE;
  if (due < earliest - SECOND)
    yield `overdue when it is: ${job} is told at ${seconds(due)}, due at ${seconds(earliest)}`;
}

function isOverdueOf(notice: Notice, { bot, job }: Send): boolean {
  if (notice.template !== 'overdue' || isAlert(notice)) return false;
  return notice.callback.job_id === job && notice.callback.bot_id === bot;
}

/** An overdue notice that was held or could not be sent until the run ended is superseded. */
function* stillTrue(history: History, { at, destination, key }: Attempt, resultAt: number) {
  // A delivery in hand may wait there for the end of a pause or for a place.
  if (at > resultAt + LATE_MS && history.isCalm(resultAt, at) && !history.mayWait(destination))
    yield `told only while it is true: ${key} is sent to ${destination} after its result, of ${seconds(resultAt)}`;
}

interface Overdue {
  readonly route: RoutePlan;
  readonly first: Admitted;
  readonly resultAt: number;
  readonly told: readonly Attempt[];
}

/** A run whose result does not come in time is told as overdue at every destination where nothing holds this. */
function* overdueBy(history: History, { route, first, resultAt, told }: Overdue) {
  const due = Math.max(first.at, Math.min(first.send.startedAt, first.at) + (route.overdueMin ?? 0) * MINUTE);
  const isSure =
    resultAt > due + LATE_MS && history.isCalm(due, due + LATE_MS) && due + LATE_MS < history.now;
  if (!isSure || mayBeMute(history, route, due)) return;
  const mayHold = (snooze: Snoozed) =>
    snooze.from <= due + LATE_MS && (snooze.until >= due || !snooze.isSure);
  const snoozes = snoozesOf(history).filter(mayHold);
  for (const destination of route.notify)
    // If the destination is in trouble, the notice may still wait behind the run's `executing`.
    if (
      !history.hasWeather(destination, 0, due + LATE_MS) &&
      !snoozes.some((each) => each.concerns(first.send.bot, destination)) &&
      !told.some((attempt) => attempt.destination === destination)
    )
      yield `overdue when it is: ${first.send.job} at ${destination}, due at ${seconds(due)}`;
}

/** Whether the route may be muted then, or a burst may hold its messages, about which nothing more is known. */
function mayBeMute({ scenario }: History, route: RoutePlan, due: number): boolean {
  const isMute = (at: number) => mutedUntil(route, 2, at, scenario.epoch) !== undefined;
  return isMute(due) || isMute(due + LATE_MS) || scenario.configs[0]?.burst !== undefined;
}

function isHeldAtTimes(history: History, bot: string): boolean {
  const [config] = history.scenario.configs;
  const isMuted = config !== undefined && routesOf(config, bot).some(({ mute }) => mute !== undefined);
  return isMuted || config?.burst !== undefined || snoozesOf(history).length > 0;
}

/** A missed result is told once until a result comes. If two routes expect a BOT, each tells: an open question. */
function* missed(history: History, config: ConfigPlan, bot: string) {
  const [expecting, another] = routesOf(config, bot).flatMap(({ expect, notify }) =>
    expect === undefined ? [] : { ...expect, notify },
  );
  const came = history.admitted.filter(({ send }) => send.bot === bot);
  const [first] = came;
  if (expecting === undefined || another !== undefined || first === undefined || isHeldAtTimes(history, bot))
    return;
  const notices = history.sentAs('missed').filter(({ about }) => about.botId === bot);
  const all = firstsOf(notices, ({ key }) => key);
  const told = all.filter(({ at }) => at >= first.at + SECOND);
  // It was missed before its first callback and told after it: due times then count from the next callback.
  const isToldLate = all.length === told.length && isMissedBefore(expecting, first.at);
  if (isToldLate && !history.isCalm(0, first.at)) return;
  const { sure, most } = missedDue(history, came, expecting, first.at);
  if (told.length >= sure && told.length <= most) return;
  const times = told.map(({ at }) => seconds(at)).join(', ');
  yield `missed once until a result comes: ${bot} ${told.length} times (${times}), not ${sure} to ${most} times`;
}

type Expecting = ExpectPlan & Pick<RoutePlan, 'notify'>;

/** How often a result was missed: at least, and at most. */
function missedDue(
  history: History,
  came: readonly Admitted[],
  { notify, ...expect }: Expecting,
  firstAt: number,
) {
  const expected = new Expectation(firstAt, expect);
  const due = { sure: 0, most: 0 };
  // If a miss was told before the first callback, none is told again until a result comes.
  let isMissed = isMissedBefore(expect, firstAt);
  for (const result of [...came.filter(({ send }) => send.status !== 2), undefined]) {
    const at = result?.at ?? history.now;
    const from = expected.openDue + expected.graceMs + 1;
    // If all destinations are in trouble, the notice may wait for them until the result has come.
    const isTold = notify.some((destination) => !history.hasWeather(destination, 0, from + LATE_MS));
    const isSure = isTold && at > from + LATE_MS && history.isCalm(from, from + LATE_MS);
    due.most += Number(from < at);
    due.sure += Number(!isMissed && isSure);
    isMissed = false;
    if (result !== undefined) expected.came(result.at, result.send.startedAt);
  }
  return due;
}

function isMissedBefore({ everyMin, graceMin }: ExpectPlan, firstAt: number): boolean {
  return firstAt > (everyMin + graceMin) * MINUTE;
}
