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
  const troubles = new Troubles();
  const closes = closesOf(history, bot);
  const results = history.resultsOf(bot);
  for (const close of closes)
    if (results.some(({ at }) => Math.abs(at - close.at) < SECOND)) return undefined;
  const all = [...results.map((result) => ({ at: result.at, result })), ...closes];
  // Results that came at the same moment stay in the order of their ids.
  for (const each of all.toSorted((a, b) => a.at - b.at))
    if ('result' in each) troubles.add(each.result);
    else troubles.close(each);
  return troubles.isUnsure ? undefined : troubles.all;
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

export class Trouble {
  /** The errors that it counts, in the order in which they came. */
  readonly errors: [Admitted, ...Admitted[]];
  /** Infinity while it goes on. */
  overAt = Infinity;
  /** The success that ended it; undefined if a person did, or while it goes on. */
  endedBy: Admitted | undefined;
  /** The latest start of its runs. */
  newestAt: number;

  constructor(first: Admitted) {
    this.errors = [first];
    this.newestAt = startOf(first);
  }

  get isOver(): boolean {
    return this.overAt < Infinity;
  }

  /** The start of the run whose error came last. */
  get lastAt(): number {
    return startOf(this.errors.at(-1) ?? this.errors[0]);
  }
}

class Troubles {
  readonly all: Trouble[] = [];
  /** A success that started between the errors counted, an error that started with a success; or nobody knows what a person has closed. */
  isUnsure = false;
  #succeededAt = -Infinity;

  add(result: Admitted): void {
    const last = this.all.at(-1);
    const open = last?.isOver === false ? last : undefined;
    if (result.send.status === 1) this.#fail(result, open);
    else this.#succeed(result, open);
  }

  close({ at, place, isSure }: Close): void {
    const closed = this.all[place];
    this.isUnsure ||= !isSure || closed === undefined || place !== this.all.length - 1;
    if (closed?.isOver === false) closed.overAt = at;
  }

  #fail(error: Admitted, open: Trouble | undefined): void {
    const startedAt = startOf(error);
    this.isUnsure ||= startedAt === this.#succeededAt;
    if (startedAt < this.#succeededAt) return;
    if (open === undefined) return void this.all.push(new Trouble(error));
    open.errors.push(error);
    open.newestAt = Math.max(open.newestAt, startedAt);
  }

  #succeed(success: Admitted, open: Trouble | undefined): void {
    const startedAt = startOf(success);
    this.#succeededAt = Math.max(this.#succeededAt, startedAt);
    if (open === undefined || startedAt < Math.min(open.lastAt, open.newestAt)) return;
    if (startedAt < open.newestAt) return void (this.isUnsure = true);
    open.overAt = success.at;
    open.endedBy = success;
  }
}

function tellsErrors(routes: readonly RoutePlan[]): boolean {
  return routes.length === 0 || routes.some(({ on }) => on.includes('error'));
}

function startOf({ send, at }: Admitted): number {
  return Math.min(send.startedAt, at);
}
