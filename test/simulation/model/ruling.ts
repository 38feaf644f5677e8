/** Section 8: a config's rulings on each callback at each destination, without snoozes, bursts and digests. */
import type { Admitted } from '../observed.ts';
import {
  type ConfigPlan,
  DAY,
  MINUTE,
  OPERATORS,
  type RoutePlan,
  routesOf,
  type Status,
  STATUS_NAMES,
} from '../scenario.ts';
import { Expectation, likenessOf, NOTHING_TOLD, Results } from './facts.ts';
import { type Row, type ToldFacts, toldAfter } from './facts.ts';

export interface Ruling {
  readonly does: 'tell' | 'hold' | 'let go';
  /** The rule that lets the message go. */
  readonly rule?: string;
  /** When the hold ends: milliseconds since the world began. */
  readonly until?: number;
  readonly template?: string;
  readonly heldBack?: number;
}

type Rulings = ReadonlyMap<string, Ruling>;

/** The order of the rules: the last one that lets a message go is named. */
const ORDER = ['on', 'when', 'after_failures', 'repeat'];

interface Judged {
  readonly admitted: Admitted;
  readonly row: Row | undefined;
  readonly late: ReadonlySet<RoutePlan>;
  readonly named: readonly RoutePlan[];
}

/**
 * @param lostAt when the callback became a dead letter there; Infinity: never
 * @param all in the order in which they were admitted
 */
export function rulingsOn(
  all: readonly Admitted[],
  config: ConfigPlan,
  epoch: number,
  lostAt: (admitted: Admitted, destination: string) => number,
): ReadonlyMap<Admitted, Rulings> {
  const resultsOf = new Map<string, Results>();
  const toldOf = new Map<string, ToldFacts>();
  const expected = new Map<string, Expectation>();

  function judgeOne(admitted: Admitted): Rulings {
    const { bot, status, startedAt } = admitted.send;
    const named = routesOf(config, bot);
    if (named.length === 0) return new Map(status === 1 ? [[OPERATORS, { does: 'tell' }]] : []);
    const late = lateBy(admitted, named);
    const results = resultsOf.get(bot) ?? new Results();
    resultsOf.set(bot, results);
    const row = status === 2 ? undefined : results.add({ startedAt, isError: status === 1 });
    const rulings = new Map<string, Ruling>();
    for (const destination of new Set(named.flatMap(({ notify }) => notify))) {
      const ruling = judgeAt(destination, { admitted, row, late, named });
      if (ruling !== undefined) rulings.set(destination, ruling);
    }
    return rulings;
  }

  /** @returns the routes whose expectation the callback comes too late for */
  function lateBy({ send, at }: Admitted, named: readonly RoutePlan[]): ReadonlySet<RoutePlan> {
    const late = new Set<RoutePlan>();
    const isResult = send.status !== 2;
    const seen = new Set<Expectation>();
    for (const route of named) {
      if (route.expect === undefined) continue;
      const key = `${send.bot} ${route.expect.everyMin} ${route.expect.graceMin}`;
      // Until its first callback, a BOT's due times count from when the config began to expect it.
      const before = expected.get(key) ?? new Expectation(0, route.expect);
      if (isResult && before.isLate(at)) late.add(route);
      const isFirst = !expected.has(key);
      const after = isFirst ? new Expectation(at, route.expect, before.isLate(at)) : before;
      expected.set(key, after);
      seen.add(after);
    }
    if (isResult) for (const each of seen) each.came(at, send.startedAt);
    return late;
  }

  function judgeAt(destination: string, judged: Judged): Ruling | undefined {
    const { admitted, row, late } = judged;
    const { send, at } = admitted;
    const { status, startedAt } = send;
    const key = `${send.bot} ${destination}`;
    const known = toldOf.get(key) ?? NOTHING_TOLD;
    const told = { ...known, errors: known.errors.filter((error) => error.lostAt > at) };
    const routes = judged.named.filter(({ notify }) => notify.includes(destination));
    const isRecovery = status === 0 && told.errors.some((error) => error.startedAt <= startedAt);
    const each = routes.map((route) => ({ route, ...judgeBy(route, judged, told, isRecovery) }));
    const ruling = strongestOf(each);
    if (ruling === undefined) return undefined;
    const { does, rule } = ruling;
    const isOver = row?.isOver ?? false;
    const lost = { lostAt: lostAt(admitted, destination), isLetGo: does === 'let go' };
    const decided = { status, startedAt, at, likeness: likenessOf(send), rule, isOver };
    toldOf.set(key, toldAfter(told, { ...decided, ...lost }));
    if (does === 'let go' && rule === 'on') return undefined;
    const tells = each.some((one) => one.does !== 'let go' && one.route.on.includes('recovered'));
    const isRecovered = isRecovery && tells && row?.since !== undefined;
    const isLate = routes.some((route) => late.has(route));
    const heldBack = status === 2 ? 0 : told.heldBack;
    return { ...ruling, template: templateOf(status, isRecovered, isLate), heldBack };
  }

  function judgeBy(route: RoutePlan, { admitted, row, late }: Judged, told: ToldFacts, isRecovery: boolean) {
    const rule = late.has(route) ? undefined : letGoBy(route, admitted, row, told, isRecovery);
    if (rule !== undefined) return { does: 'let go', rule } as const;
    const until = mutedUntil(route, admitted.send.status, admitted.at, epoch);
    return until === undefined ? ({ does: 'tell' } as const) : ({ does: 'hold', until } as const);
  }

  const ended = new Set<string>();
  const judged = new Map<Admitted, Rulings>();
  for (const admitted of all) {
    const { bot, job, status } = admitted.send;
    const isLateStart = status === 2 && ended.has(`${job} of ${bot}`);
    if (status !== 2) ended.add(`${job} of ${bot}`);
    judged.set(admitted, isLateStart ? new Map() : judgeOne(admitted));
  }
  return judged;
}

/** Undefined if the route is not muted then. */
export function mutedUntil(
  { mute }: RoutePlan,
  status: Status,
  at: number,
  epoch: number,
): number | undefined {
  if (mute === undefined || (mute.exceptErrors && status === 1)) return undefined;
  const now = epoch + at;
  const midnight = Math.floor(now / DAY) * DAY;
  for (const day of [midnight - DAY, midnight]) {
    const from = day + mute.from * MINUTE;
    const to = day + mute.to * MINUTE + (mute.to <= mute.from ? DAY : 0);
    if (from <= now && now < to) return to - epoch;
  }
  return undefined;
}

function templateOf(status: Status, isRecovered: boolean, isLate: boolean): string {
  if (isLate) return 'late';
  return isRecovered ? 'recovered' : STATUS_NAMES[status];
}

/** A route that tells wins; else the one that holds for the shortest time; else the last rule that lets go. */
function strongestOf(each: readonly Ruling[]): Ruling | undefined {
  const holds = each.filter(({ does }) => does === 'hold');
  const gone = each.filter(({ does }) => does === 'let go');
  const placeOf = ({ rule = '' }: Ruling) => ORDER.indexOf(rule);
  const all = [
    ...each.filter(({ does }) => does === 'tell'),
    ...holds.toSorted((a, b) => (a.until ?? 0) - (b.until ?? 0)),
    ...gone.toSorted((a, b) => placeOf(b) - placeOf(a)),
  ];
  return all[0];
}

/** @returns the rule that lets the callback go; undefined: none does */
function letGoBy(
  route: RoutePlan,
  admitted: Admitted,
  row: Row | undefined,
  told: ToldFacts,
  isRecovery: boolean,
): string | undefined {
  const { on, unlessCode, afterFailures = 1 } = route;
  const { status, code } = admitted.send;
  if (!on.includes(STATUS_NAMES[status]) && !(isRecovery && on.includes('recovered'))) return 'on';
  if (unlessCode === code) return 'when';
  if (status !== 1 || row === undefined) return undefined;
  if (row.failures < afterFailures) return 'after_failures';
  return !row.isOver && isRepeated(route, admitted, told) ? 'repeat' : undefined;
}

function isRepeated({ repeat }: RoutePlan, { send, at }: Admitted, { errors }: ToldFacts): boolean {
  const last = errors.at(-1);
  if (repeat === undefined || last === undefined) return false;
  return repeat === 'changes' ? last.likeness === likenessOf(send) : at - last.at < repeat * MINUTE;
}
