/** Section 11: the incidents that a BOT should have, by its results in the order in which they came, and by what people closed. */
import type { Admitted, ListedIncident } from '../observed.ts';
import { type RoutePlan, routesOf, SECOND } from '../scenario.ts';
import type { History } from './history.ts';

export function incidentsAbout(
  { observed }: History,
  kind: string,
  subject: string,
): readonly ListedIncident[] {
  return observed.incidents.filter((each) => each.kind === kind && each.subject === subject);
}

export function incidentsOf(history: History, bot: string): readonly ListedIncident[] {
  return incidentsAbout(history, 'bot', bot).toSorted((a, b) => a.id - b.id);
}

/** Undefined if the BOT's errors, or what ends them, cannot be known from outside. */
export function troublesOf(history: History, bot: string): readonly Trouble[] | undefined {
  const routes = routesOf(history.configOf({ config: 0 }), bot);
  if (routes.some(({ overdueMin, expect, unlessCode }) => overdueMin ?? expect ?? unlessCode))
    return undefined;
  if (!tellsErrors(routes)) return [];
  const closes = closesOf(history, bot);
  const results = history.resultsOf(bot);
  for (const close of closes)
    if (results.some(({ at }) => Math.abs(at - close.at) < SECOND)) return undefined;
  // Results that came at the same moment stay in the order of their ids.
  return troublesFrom([...results, ...closes].toSorted((a, b) => a.at - b.at));
}

interface Close {
  readonly at: number;
  /** The place of the closed incident among the BOT's incidents. */
  readonly place: number;
  readonly isSure: boolean;
}

function closesOf(history: History, bot: string): readonly Close[] {
  const listed = incidentsOf(history, bot);
  return history.observed.acted.flatMap(({ act, at, status, incidents = [] }) => {
    const place = listed.findIndex(({ id }) => incidents.includes(id));
    return act.kind === 'close' && place >= 0 ? [{ at, place, isSure: status === 202 }] : [];
  });
}

export interface Trouble {
  /** The errors that it counts, in the order in which they came. */
  readonly errors: [Admitted, ...Admitted[]];
  /** Infinity while it goes on. */
  overAt: number;
  /** The success that ended it; undefined if a person did, or while it goes on. */
  endedBy?: Admitted;
}

/**
 * Undefined where a success started between the errors counted, or an error with a success; or nobody knows what a person has closed.
 * @param all in the order in which they came
 */
function troublesFrom(all: readonly (Admitted | Close)[]): readonly Trouble[] | undefined {
  const troubles: Trouble[] = [];
  let [isUnsure, succeededAt] = [false, -Infinity];

  function close({ at, place, isSure }: Close): void {
    const closed = troubles[place];
    isUnsure ||= !isSure || closed === undefined || place !== troubles.length - 1;
    if (closed?.overAt === Infinity) closed.overAt = at;
  }

  function fail(error: Admitted, open: Trouble | undefined): void {
    const startedAt = startOf(error);
    isUnsure ||= startedAt === succeededAt;
    if (startedAt < succeededAt) return;
    if (open === undefined) troubles.push({ errors: [error], overAt: Infinity });
    else open.errors.push(error);
  }

  function succeed(success: Admitted, open: Trouble | undefined): void {
    const startedAt = startOf(success);
    succeededAt = Math.max(succeededAt, startedAt);
    const starts = open?.errors.map(startOf) ?? [];
    if (open === undefined || startedAt < (starts.at(-1) ?? 0)) return;
    if (startedAt < Math.max(...starts)) return void (isUnsure = true);
    Object.assign(open, { overAt: success.at, endedBy: success });
  }

  for (const each of all) {
    const open = troubles.slice(-1).find(({ overAt }) => overAt === Infinity);
    if ('place' in each) close(each);
    else if (each.send.status === 1) fail(each, open);
    else succeed(each, open);
  }
  return isUnsure ? undefined : troubles;
}

function tellsErrors(routes: readonly RoutePlan[]): boolean {
  return routes.length === 0 || routes.some(({ on }) => on.includes('error'));
}

function startOf({ send, at }: Admitted): number {
  return Math.min(send.startedAt, at);
}
