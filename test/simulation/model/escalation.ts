/** Section 11: each step of a route tells of a BOT's lasting incident once, in time, and only while its condition holds. */
import type { Attempt } from '../observed.ts';
import { BOTS, DUTY, MINUTE, type RoutePlan, routesOf, SECOND, type StepPlan } from '../scenario.ts';
import { firstsOf, type History, isSuccess, messageOf, nameOf, seconds } from './history.ts';
import { mutedUntil } from './ruling.ts';
import { snoozesOf } from './snoozed.ts';
import { isTakenUpAt, releasesOf, takeUpsOf } from './take-ups.ts';
import { incidentsOf, type Trouble, troublesOf } from './troubles.ts';

/** The time of a look each second, on a machine that sleeps while nothing happens, and for longer while a pause lasts. */
const TOLD_WITHIN_MS = 20 * SECOND;
const SLEEPS_LONG_MS = 45 * SECOND;

/** A process that tells a step knows what happened this long ago, unless something delays it. */
const KNOWN_AFTER_MS = 5 * SECOND;

const EARLY_MS = 50;

interface Lasting {
  readonly bot: string;
  readonly id: number;
  readonly trouble: Trouble;
  readonly routes: readonly RoutePlan[];
  readonly told: readonly Attempt[];
}

interface Step {
  readonly route: RoutePlan;
  readonly step: StepPlan;
}

export function* judgeEscalation(history: History) {
  const told = history.observed.attempts.filter(isEscalated);
  yield* once(history, told);
  if (history.hasReloads || history.hasSetClocks) return;
  for (const bot of BOTS) {
    const incidents = incidentsOf(history, bot);
    const routes = routesOf(history.configOf({ config: 0 }), bot);
    const troubles = troublesOf(history, bot) ?? [];
    if (troubles.length !== incidents.length) continue;
    for (const [place, trouble] of troubles.entries()) {
      const id = incidents[place]?.id ?? 0;
      const own = told.filter(({ notice }) => incidentOf(notice) === id);
      const lasting = { bot, id, trouble, routes, told: own };
      for (const attempt of firstsOf(lasting.told, messageOf)) yield* whileItLasts(history, lasting, attempt);
      for (const step of stepsOf(routes)) yield* inTime(history, lasting, step);
      yield* whoeverWasTold(history, lasting);
    }
  }
}

function isEscalated({ notice }: Attempt): boolean {
  return 'escalated' in notice && notice.escalated !== undefined;
}

function incidentOf(notice: Attempt['notice']): number | undefined {
  return 'incident' in notice ? notice.incident : undefined;
}

function stepsOf(routes: readonly RoutePlan[]): readonly Step[] {
  return routes.flatMap((route) => (route.steps ?? []).map((step) => ({ route, step })));
}

function* once(history: History, told: readonly Attempt[]) {
  const counts = new Map<string, number>();
  for (const { notice, destination } of firstsOf(told, messageOf)) {
    const id = incidentOf(notice) ?? 0;
    const place = `incident ${id} at ${destination}`;
    const count = (counts.get(place) ?? 0) + 1;
    counts.set(place, count);
    if (count > 1 + releasesOf(history, id).length)
      yield `a destination gets one such message of an incident: ${place} got ${count}`;
  }
}

/** Steps tell the last error, from when they are due until the incident is over or somebody is on it. */
function* whileItLasts(history: History, lasting: Lasting, attempt: Attempt) {
  const { trouble, id } = lasting;
  const { at, destination, key } = attempt;
  const what = `${key} to ${destination} at ${seconds(at)} of incident ${id}`;
  const [{ at: begun }] = trouble.errors;
  const due = stepsOf(lasting.routes).filter((each) => {
    const dueAt = dueFrom(history, lasting, each, { from: begun, destination });
    return each.step.notify.includes(destination) && at >= (dueAt ?? begun) - EARLY_MS;
  });
  if (due.length === 0) return void (yield `a step is told when it is due: ${what}`);
  const known = at - KNOWN_AFTER_MS;
  if (!history.isWell(destination, known - MINUTE, at)) return;
  const isOn = ({ route, step }: Step) =>
    step.isUnlessDelivered
      ? !hasGot(history, route, trouble, known)
      : isTakenUpAt(history, id, known) !== true;
  if (trouble.overAt < known || !due.some(isOn))
    yield `a step is told while somebody is to hear of it: ${what}`;
  const told = history.admitted.find(({ send }) => send.nth === attempt.nth);
  const last = trouble.errors.findLast((error) => error.at < known);
  if (told === undefined || (last !== undefined && told.id < last.id))
    yield `a step tells the last error: ${what}, after ${last && nameOf(last.send)}`;
}

/** When a step that counts from `from` is due: after the holds in force then, if any. Undefined: unknown. */
function dueFrom(
  history: History,
  { bot }: Lasting,
  { route, step }: Step,
  { from, destination }: { readonly from: number; readonly destination: string },
): number | undefined {
  const snoozes = snoozesOf(history).filter((each) => each.concerns(bot, destination));
  if (snoozes.some(({ isSure, until }) => !isSure || until === Infinity)) return undefined;
  let due = from + step.afterMin * MINUTE;
  for (let before = -1; before < due;) {
    before = due;
    const ends = snoozes.flatMap((each) => (each.from <= due && due < each.until ? [each.until] : []));
    due = Math.max(due, mutedUntil(route, 1, due, history.scenario.epoch) ?? 0, ...ends);
  }
  return due;
}

function hasGot(history: History, { notify }: RoutePlan, { errors }: Trouble, by: number): boolean {
  return errors.some((error) =>
    notify.some((destination) =>
      history.attemptsOf(error, destination).some((each) => isSuccess(each) && (each.endedAt ?? 0) < by),
    ),
  );
}

function mayHaveGot(history: History, { notify }: RoutePlan, { errors }: Trouble, by: number): boolean {
  return errors.some((error) => notify.some((to) => (history.toldAt(error, to) ?? Infinity) < by));
}

/** Steps are told in time, from the first error or the last give-back on, if no rule of the route may put them off. */
function* inTime(history: History, lasting: Lasting, each: Step) {
  const { trouble, id, told, bot } = lasting;
  const { route, step } = each;
  const releases = releasesOf(history, id);
  if (releases.some(({ status }) => status !== 202)) return;
  const { at: from } = releases.at(-1) ?? trouble.errors[0];
  for (const destination of isPlain(history, lasting, route) ? step.notify : []) {
    const due = dueFrom(history, lasting, each, { from, destination }) ?? Infinity;
    const latest = latestFor(history, due, step);
    if (latest > history.now || trouble.overAt < latest) continue;
    if (mayBeOff(history, lasting, each, [from, latest])) continue;
    if (!told.some(({ at, destination: to }) => to === destination && at >= from && at <= latest))
      yield `each step is told in time: incident ${id} of ${bot} at ${destination}, due at ${seconds(due)}`;
  }
}

function mayBeOff(
  history: History,
  { trouble, id }: Lasting,
  { route, step }: Step,
  [from, by]: readonly [number, number],
): boolean {
  return step.isUnlessDelivered
    ? mayHaveGot(history, route, trouble, by)
    : takeUpsOf(history, id).some(({ at }) => at >= from && at < by);
}

/** The latest time of a step: soon after it is due if all is well (a minute later if snoozes are ended), else after the end of all trouble. */
function latestFor(history: History, due: number, { notify }: StepPlan): number {
  const { acted, pauses } = history.observed;
  const isWoken = acted.some(({ act }) => act.kind === 'wake');
  const soon = due + TOLD_WITHIN_MS + (isWoken ? MINUTE : 0) + (pauses.length > 0 ? SLEEPS_LONG_MS : 0);
  const isWell = notify.every((to) => history.isWell(to, due - MINUTE, soon));
  return isWell ? soon : Math.max(due, history.scenario.healedAt) + MINUTE + TOLD_WITHIN_MS;
}

function isPlain(history: History, { trouble, bot }: Lasting, route: RoutePlan): boolean {
  const { on, afterFailures, repeat, unlessCode, notify } = route;
  const { burst } = history.configOf({ config: 0 });
  const [{ at }] = trouble.errors;
  const isRuled = [afterFailures, repeat, unlessCode, burst].some((rule) => rule !== undefined);
  const isHeld = mutedUntil(route, 1, at, history.scenario.epoch) !== undefined;
  const isSnoozed = snoozesOf(history).some(
    (each) => each.from < at + 2 * SECOND && notify.some((to) => each.concerns(bot, to)),
  );
  return on.includes('error') && !isRuled && !isHeld && !isSnoozed;
}

/** Destinations of steps hear that the BOT works again, whatever its routes tell, exactly if a step told them. */
function* whoeverWasTold(history: History, { trouble, told, bot }: Lasting) {
  const { endedBy } = trouble;
  if (endedBy === undefined || history.isActedOn(endedBy)) return;
  for (const destination of DUTY) {
    const got = told.filter((each) => each.destination === destination);
    const name = `${nameOf(endedBy.send)} of ${bot} at ${destination}`;
    const listed = endedBy.escalated.find((each) => each.destination === destination);
    const hadIt = got.some((each) => isSuccess(each) && (each.endedAt ?? 0) < endedBy.at - SECOND);
    if (hadIt && listed === undefined) yield `whoever a step told is told of the recovery: ${name}`;
    if (got.length === 0 && listed?.state === 'delivered')
      yield `only whom a step told is told of the recovery: ${name}`;
    const [sent] = history.attemptsOf(endedBy, destination);
    if (sent !== undefined && sent.notice.template !== 'recovered')
      yield `by its template: ${name} is told as ${sent.notice.template}, not as recovered`;
  }
}
