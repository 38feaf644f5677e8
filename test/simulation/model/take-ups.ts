/** Section 11: whoever was told of an incident is told once who is on it. */
import type { Acted, Attempt } from '../observed.ts';
import { BOTS, OPERATORS, SECOND } from '../scenario.ts';
import { type History, isSuccess, seconds } from './history.ts';
import { incidentsOf, type Trouble, troublesOf } from './troubles.ts';

/** Within this time, a request is carried out, and an outcome is written. */
const MOMENT_MS = 2 * SECOND;

export function takeUpsOf(history: History, id: number): readonly Acted[] {
  return actsOf(history, id, 'takeUp');
}

export function releasesOf(history: History, id: number): readonly Acted[] {
  return actsOf(history, id, 'release');
}

function actsOf({ observed }: History, id: number, kind: string): readonly Acted[] {
  return observed.acted.filter((each) => each.act.kind === kind && each.incidents?.includes(id) === true);
}

/** Undefined if it is unknown. */
export function isTakenUpAt(history: History, id: number, time: number): boolean | undefined {
  const all = [...takeUpsOf(history, id), ...releasesOf(history, id)].filter(({ at }) => at < time + SECOND);
  const last = all.toSorted((a, b) => a.at - b.at).at(-1);
  if (all.some(({ at, status }) => status !== 202 || at > time - SECOND)) return undefined;
  return last?.act.kind === 'takeUp';
}

export function* judgeTakeUps(history: History) {
  for (const { id, kind, subject, state } of history.observed.incidents) {
    const isTakenUp = isTakenUpAt(history, id, Infinity);
    if (state !== 'over' && isTakenUp !== undefined && isTakenUp !== (state === 'taken_up'))
      yield `taken up until it is given back: ${kind} ${subject} is ${state}`;
  }
  for (const acted of history.observed.acted)
    if (acted.act.kind === 'takeUp') yield* toldWhoIsOnIt(history, acted, acted.act.by);
}

function* toldWhoIsOnIt(history: History, acted: Acted, by: string) {
  const said = history.sentAs('taken_up').filter(({ about }) => about.by === by);
  yield* onceEach(said, by);
  if (history.hasReloads || history.hasSetClocks) return;
  const troubles = takenUpBy(history, acted);
  if (troubles === undefined) return;
  for (const { destination, at } of said)
    if (destination !== OPERATORS && !troubles.some((each) => mayBeTold(history, each, destination, at)))
      yield `only who was told hears who is on it: ${destination} hears of ${by}`;
  if (acted.status !== 202) return;
  const places = new Set(said.map(({ destination }) => destination));
  for (const trouble of troubles.filter(({ overAt }) => overAt > acted.at + MOMENT_MS))
    for (const destination of toldBefore(history, trouble, acted.at - MOMENT_MS))
      if (!places.has(destination))
        yield `who was told hears who is on it: ${destination} does not hear of ${by}`;
}

function* onceEach(said: readonly Attempt[], by: string) {
  const places = new Map<string, string>();
  for (const { key, destination, at } of said) {
    const first = places.get(destination) ?? key;
    places.set(destination, first);
    if (first !== key)
      yield `a take-up is told once: ${destination} hears of ${by}, and again at ${seconds(at)}`;
  }
}

/** The BOTs' troubles that were taken up; undefined if it is unknown what they count. */
function takenUpBy(history: History, { incidents = [] }: Acted): readonly Trouble[] | undefined {
  const found: Trouble[] = [];
  for (const bot of BOTS) {
    const listed = incidentsOf(history, bot);
    if (!listed.some(({ id }) => incidents.includes(id))) continue;
    const troubles = troublesOf(history, bot);
    if (troubles?.length !== listed.length) return undefined;
    found.push(...troubles.filter((_, place) => incidents.includes(listed[place]?.id ?? 0)));
  }
  return found;
}

/** Whether it was told of an error of the BOT since: also of a run that began before its last success, which the trouble does not count. */
function mayBeTold(history: History, { errors: [first] }: Trouble, destination: string, by: number): boolean {
  const since = history
    .resultsOf(first.send.bot)
    .filter(({ send, at }) => send.status === 1 && at >= first.at);
  return since.some((error) => (history.toldAt(error, destination) ?? Infinity) < by);
}

/** Destinations that were surely told by then, with the outcome written. */
function toldBefore(history: History, { errors }: Trouble, time: number): readonly string[] {
  const nths = new Set(errors.map(({ send }) => send.nth));
  const isKnown = ({ process, at, endedAt = 0 }: Attempt) =>
    endedAt < time && history.endOf(process) > time && !history.isStoreHit(at, time);
  const got = history.observed.attempts.filter((each) => nths.has(each.nth) && isSuccess(each));
  return [...new Set(got.filter(isKnown).map(({ destination }) => destination))];
}
