/** Decides whether a destination is told a message, or which rule of which route holds it or lets it go. */
import type { StatusName } from '../callback/callback.ts';
import { type Hold, holdAt, type Holders } from './hold.ts';
import { type Burst, type Occasion, type RouteRules, type RuleName, RULES } from './rules.ts';
import { isRecovery, isRepeated, type Row, type ToldErrors, withSuccess, withToldError } from './streak.ts';

/** A callback, or Botbell's own message about a BOT. */
export interface Subject extends Pick<Holders, 'botId' | 'status'> {
  /** The id of the callback; 0: it has none yet. */
  readonly id: number;
  readonly startedAt: number;
  /** The row of errors that a result is part of or ends; undefined: no result. */
  readonly row: Row | undefined;
  /** For an error that is compared with the last one told, the result of `likenessOf`. */
  readonly likeness: string;
  /** The conditions `when` of its routes that it does not meet. */
  readonly unmet: readonly string[];
  /** Skips the rules before `mute`: the message is told or held, never let go. */
  readonly isNeverLetGo: boolean;
}

/** A route that reaches the destination. */
export interface AskedRoute {
  readonly name: string;
  readonly on: readonly Occasion[];
  readonly rules: RouteRules;
  /** The key of the timer that expects the BOT for this route. */
  readonly timer: string | undefined;
  /** The first step of its `then`; left out: it has none. */
  readonly firstStep?:
    | { readonly afterMs: number; readonly who: readonly string[]; readonly unlessDelivered: boolean }
    | undefined;
}

/** The window of a destination's burst that the ledger keeps. */
export interface BurstWindow {
  readonly startedAt: number;
  /** Messages told in it. */
  readonly count: number;
}

/** What the ledger keeps of the destination. */
export interface DestinationFacts extends Pick<Holders, 'destination' | 'snoozes'> {
  /** What this destination was told of the BOT. */
  readonly told: ToldErrors;
  /** Due times for which the result is late, by the key of their timer. */
  readonly lateFor: ReadonlyMap<string, number>;
  /** The limit of its channel; undefined: none, or the message is exempt. */
  readonly burst: Burst | undefined;
  readonly window: BurstWindow | undefined;
}

export type Ruling =
  | { readonly does: 'tell' }
  | (Hold & { readonly does: 'hold' })
  | { readonly does: 'let go'; readonly rule: RuleName };

export type RouteRuling = Ruling & { readonly route: string };

/** How the message differs from the plain one of its status, now or when its hold ends. */
export interface Telling {
  readonly occasion?:
    | { readonly template: 'late'; readonly dueAt: number; readonly lateByMs: number }
    | {
        readonly template: 'recovered';
        readonly failingSince: number;
        readonly failingForMs: number;
        readonly failures: number;
      };
  /** It is told only as a recovery: no route asks for the success itself. */
  readonly isOnlyRecovery?: true;
  /** Errors that `repeat` let go before this message. */
  readonly heldBack?: number;
  /** When its hold began, if it is told as itself after its hold. */
  readonly heldSince?: number;
  /**
   * Names of routes. Of a held message: those that have not let it go; only these are asked when its hold ends. Of a told message: the
   * one that tells it; left out if that is the one that `tellerOf` gives.
   */
  readonly wantedBy?: readonly string[];
  /** The id of the incident that it is a sign of, or the end of. */
  readonly incident?: number;
  /** The receipt of the message that it replies to if the channel has threads. */
  readonly repliesTo?: Readonly<Record<string, string>>;
  /** Set if a step of a route tells it: which destinations were told of the trouble before, and who has taken it up ('': nobody). */
  readonly escalated?: { readonly told: readonly string[]; readonly takenBy: string };
}

export interface Decision {
  readonly ruling: RouteRuling;
  readonly telling: Telling | undefined;
  /** Whether the message says that the BOT works again. */
  readonly isRecovered: boolean;
  /** The ruling of each route alone. */
  readonly routes: readonly RouteRuling[];
  /** The value that the ledger keeps from now on. */
  readonly told: ToldErrors;
  readonly window: BurstWindow | undefined;
}

/** @param asked at least one route */
export function decide(
  subject: Subject,
  asked: readonly AskedRoute[],
  facts: DestinationFacts,
  { now, timezone }: Pick<Question, 'now' | 'timezone'>,
): Decision {
  const isFirstSuccess = subject.status === 'succeeded' && isRecovery(facts.told, subject.startedAt);
  const question = { subject, facts, isFirstSuccess, now, timezone };
  const routes = asked.map((route) => ({ ...rulingOf(route, question), route: route.name }));
  const { ruling, window } = withinBurst(mostTelling(routes), facts, now);
  const isAsked = (occasion: Occasion) =>
    asked.some(({ on }, index) => on.includes(occasion) && routes[index]?.does !== 'let go');
  const isRecovered = isFirstSuccess && isAsked('recovered');
  const occasion = lateness(asked, question) ?? recovery(subject, isRecovered);
  const wantedBy = wanting(ruling, routes, tellerOf(asked, subject.status));
  const telling: Telling = {
    ...(occasion && { occasion }),
    ...(isRecovered && !isAsked('succeeded') && { isOnlyRecovery: true }),
    ...(facts.told.heldBack > 0 && { heldBack: facts.told.heldBack }),
    ...(wantedBy && { wantedBy }),
  };
  return {
    ruling,
    telling: Object.keys(telling).length === 0 ? undefined : telling,
    isRecovered,
    routes,
    told: toldFrom(subject, ruling, facts.told, now),
    window,
  };
}

/** The route that tells unless a rule decides otherwise: the first whose `on` has the status. Undefined: that is not known ahead. */
function tellerOf(asked: readonly AskedRoute[], status: StatusName | undefined): string | undefined {
  if (status === undefined) return undefined;
  return (asked.find(({ on }) => on.includes(status)) ?? asked[0])?.name;
}

function wanting(
  { does, route }: RouteRuling,
  routes: readonly RouteRuling[],
  byDefault: string | undefined,
): Telling['wantedBy'] {
  if (does === 'hold') return routes.filter((each) => each.does !== 'let go').map((each) => each.route);
  return does === 'let go' || route === byDefault ? undefined : [route];
}

interface Question extends Pick<Holders, 'timezone'> {
  readonly subject: Subject;
  readonly facts: DestinationFacts;
  readonly isFirstSuccess: boolean;
  readonly now: number;
}

function rulingOf(route: AskedRoute, question: Question): Ruling {
  const { subject, facts, now, timezone } = question;
  const isNeverLetGo = subject.isNeverLetGo || facts.lateFor.has(route.timer ?? '');
  const rule = isNeverLetGo ? undefined : letGoBy(route, question);
  if (rule !== undefined) return { does: 'let go', rule };
  const { mute } = route.rules;
  const hold = holdAt(now, { ...subject, ...facts, mute, timezone });
  return hold === undefined ? { does: 'tell' } : { does: 'hold', ...hold };
}

/** The first rule that lets the message go; undefined: none. */
function letGoBy(route: AskedRoute, { subject, facts, isFirstSuccess, now }: Question): RuleName | undefined {
  const { on, rules } = route;
  const { status, row, likeness, unmet } = subject;
  if (status === undefined) return undefined;
  if (!on.includes(status) && !(isFirstSuccess && on.includes('recovered'))) return 'on';
  if (rules.when !== undefined && unmet.includes(rules.when)) return 'when';
  if (status !== 'error' || row === undefined) return undefined;
  if (row.failures < rules.afterFailures) return 'after_failures';
  return isRepeated(rules.repeat, facts.told, { row, likeness, at: now }) ? 'repeat' : undefined;
}

/** A ruling that tells, else the hold that ends first; else the ruling of the route that passed the most rules. */
function mostTelling(routes: readonly RouteRuling[]): RouteRuling {
  const endOf = ({ until = Number.MAX_VALUE }: { readonly until?: number | undefined }) => until;
  const stepOf = ({ rule }: { readonly rule: RuleName }) => RULES.indexOf(rule);
  const held = routes.filter((ruling) => ruling.does === 'hold');
  const letGo = routes.filter((ruling) => ruling.does === 'let go');
  const [most] = [
    ...routes.filter(({ does }) => does === 'tell'),
    ...held.toSorted((a, b) => endOf(a) - endOf(b)),
    ...letGo.toSorted((a, b) => stepOf(b) - stepOf(a)),
  ];
  if (most === undefined) throw new Error('no route was asked');
  return most;
}

/** Counts a told message in its window; past `max`, the message is held until the window ends. */
function withinBurst(
  ruling: RouteRuling,
  { burst, window: last }: DestinationFacts,
  now: number,
): { readonly ruling: RouteRuling; readonly window: BurstWindow | undefined } {
  if (ruling.does !== 'tell' || burst === undefined) return { ruling, window: last };
  const { max, perMs } = burst;
  // Another process's clock may be a moment ahead; a window much later than now dates from before the clock was set back.
  const isOpen = last !== undefined && Math.abs(now - last.startedAt) < perMs;
  const window = isOpen ? last : { startedAt: now, count: 0 };
  const { startedAt, count } = window;
  if (count < max) return { ruling, window: { startedAt, count: count + 1 } };
  return { ruling: { does: 'hold', rule: 'burst', until: startedAt + perMs, route: ruling.route }, window };
}

function lateness(asked: readonly AskedRoute[], question: Question): Telling['occasion'] {
  const [dueAt] = asked.flatMap(({ timer = '' }) => question.facts.lateFor.get(timer) ?? []);
  if (dueAt === undefined) return undefined;
  return { template: 'late', dueAt, lateByMs: Math.max(0, question.now - dueAt) };
}

function recovery({ row, startedAt }: Subject, isRecovered: boolean): Telling['occasion'] {
  if (!isRecovered || row?.since === undefined) return undefined;
  const { since, failures } = row;
  return { template: 'recovered', failingSince: since, failingForMs: startedAt - since, failures };
}

function toldFrom(subject: Subject, ruling: Ruling, told: ToldErrors, now: number): ToldErrors {
  const { id, status, startedAt, likeness, row } = subject;
  if (status === 'succeeded')
    return withSuccess({ ...told, heldBack: ruling.does === 'let go' ? told.heldBack : 0 }, startedAt);
  if (row === undefined) return told;
  if (ruling.does === 'let go')
    return ruling.rule === 'repeat' ? { ...told, heldBack: told.heldBack + 1 } : told;
  // Also for a held message: it says how many were held back when its hold ends.
  return { ...withToldError(told, { id, startedAt, likeness, at: now }, row), heldBack: 0 };
}
