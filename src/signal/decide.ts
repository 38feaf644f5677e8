/** What becomes of a message at a destination: told, held until something ends, or let go, and by which rule of which route. */
import type { StatusName } from '../callback/callback.ts';
import { type Hold, holdAt } from './hold.ts';
import { type Burst, type Occasion, type RouteRules, type RuleName, RULES, type Snooze } from './rules.ts';
import { isRecovery, isRepeated, type Row, type Told, withSuccess, withToldError } from './streak.ts';

/** A callback, or what Botbell says by itself of a BOT. */
export interface Subject {
  readonly botId: string;
  /** Undefined: of what has none, `overdue` or `missed`. */
  readonly status: StatusName | undefined;
  readonly startedAt: number;
  /** Of a result. */
  readonly row: Row | undefined;
  /** Of an error, as `likenessOf` has it. */
  readonly likeness: string;
  /** It is told, or held, whatever the rules before `mute` say. */
  readonly isWanted: boolean;
}

/** A route that reaches the destination, with what only others can find out about it. */
export interface AskedRoute {
  readonly name: string;
  readonly on: readonly Occasion[];
  readonly rules: RouteRules;
  /** Whether its condition `when` holds. */
  readonly holdsWhen: boolean;
  /** Of the timer that expects the BOT for it. */
  readonly timer: string | undefined;
}

/** What is kept of a destination's burst. */
export interface BurstWindow {
  readonly startedAt: number;
  /** Messages told in it. */
  readonly count: number;
}

/** What the ledger keeps of the destination. */
export interface DestinationFacts {
  readonly destination: string;
  /** Of the BOT there. */
  readonly told: Told;
  readonly snoozes: readonly Snooze[];
  /** Due times that the result is late for, by their timers. */
  readonly lateFor: ReadonlyMap<string, number>;
  /** Its channel's; undefined also where the message is exempt. */
  readonly burst: Burst | undefined;
  readonly window: BurstWindow | undefined;
}

export type Verdict =
  | { readonly does: 'tell' }
  | (Hold & { readonly does: 'hold' })
  | { readonly does: 'let go'; readonly rule: RuleName };

export type RouteVerdict = Verdict & { readonly route: string };

/** How it is drawn, told now or later, where that is not by its status alone. */
export interface Telling {
  readonly occasion?:
    | { readonly template: 'late'; readonly dueAt: number; readonly lateByMs: number }
    | { readonly template: 'recovered'; readonly failingSince: number; readonly failures: number };
  /** Errors that `repeat` let go before this one. */
  readonly heldBack?: number;
}

export interface Decision {
  readonly verdict: RouteVerdict;
  readonly telling: Telling | undefined;
  /** Each route for itself. */
  readonly routes: readonly RouteVerdict[];
  /** To be kept from now on. */
  readonly told: Told;
  readonly window: BurstWindow | undefined;
}

interface Moment {
  readonly now: number;
  readonly timezone: string;
}

/** @param asked at least one */
export function decide(
  subject: Subject,
  asked: readonly AskedRoute[],
  facts: DestinationFacts,
  moment: Moment,
): Decision {
  const isFirstSuccess = subject.status === 'succeeded' && isRecovery(facts.told, subject.startedAt);
  const question = { subject, facts, isFirstSuccess, moment };
  const routes = asked.map((route) => ({ ...verdictOf(route, question), route: route.name }));
  const { verdict, window } = withinBurst(mostTelling(routes), facts, moment.now);
  const isRecovered = asked.some(
    ({ on }, index) => on.includes('recovered') && routes[index]?.does !== 'let go',
  );
  const occasion = lateness(asked, question) ?? recovery(subject, isFirstSuccess && isRecovered);
  const { heldBack } = facts.told;
  const telling = { ...(occasion && { occasion }), ...(heldBack > 0 && { heldBack }) };
  return {
    verdict,
    telling: occasion === undefined && heldBack === 0 ? undefined : telling,
    routes,
    told: toldFrom(subject, verdict, facts.told, moment.now),
    window,
  };
}

interface Question {
  readonly subject: Subject;
  readonly facts: DestinationFacts;
  readonly isFirstSuccess: boolean;
  readonly moment: Moment;
}

function dueTimeOf({ timer = '' }: AskedRoute, { facts }: Question): number | undefined {
  return facts.lateFor.get(timer);
}

function verdictOf(route: AskedRoute, question: Question): Verdict {
  const { subject, facts, moment } = question;
  const isWanted = subject.isWanted || dueTimeOf(route, question) !== undefined;
  const rule = isWanted ? undefined : letGoBy(route, question);
  if (rule !== undefined) return { does: 'let go', rule };
  const { mute } = route.rules;
  const hold = holdAt(moment.now, { ...subject, ...facts, mute, timezone: moment.timezone });
  return hold === undefined ? { does: 'tell' } : { does: 'hold', ...hold };
}

/** The first rule that has nothing told of this. */
function letGoBy(
  route: AskedRoute,
  { subject, facts, isFirstSuccess, moment }: Question,
): RuleName | undefined {
  const { on, rules } = route;
  const { status, row, likeness } = subject;
  if (status === undefined) return undefined;
  if (!on.includes(status) && !(isFirstSuccess && on.includes('recovered'))) return 'on';
  if (!route.holdsWhen) return 'when';
  if (status !== 'error' || row === undefined) return undefined;
  if (row.failures < rules.afterFailures) return 'after_failures';
  return isRepeated(rules.repeat, facts.told, { row, likeness, at: moment.now }) ? 'repeat' : undefined;
}

/** A destination is told if any route tells it, else as soon as one will; else the one that came furthest says why not. */
function mostTelling(routes: readonly RouteVerdict[]): RouteVerdict {
  const endOf = ({ until = Number.MAX_VALUE }: { readonly until?: number | undefined }) => until;
  const stepOf = ({ rule }: { readonly rule: RuleName }) => RULES.indexOf(rule);
  const held = routes.filter((verdict) => verdict.does === 'hold');
  const letGo = routes.filter((verdict) => verdict.does === 'let go');
  const [most] = [
    ...routes.filter(({ does }) => does === 'tell'),
    ...held.toSorted((a, b) => endOf(a) - endOf(b)),
    ...letGo.toSorted((a, b) => stepOf(b) - stepOf(a)),
  ];
  if (most === undefined) throw new Error('no route was asked');
  return most;
}

/** Counts one that is told: past so many, the rest of its window is held. */
function withinBurst(
  verdict: RouteVerdict,
  { burst, window: last }: DestinationFacts,
  now: number,
): { readonly verdict: RouteVerdict; readonly window: BurstWindow | undefined } {
  if (verdict.does !== 'tell' || burst === undefined) return { verdict, window: last };
  const { max, perMs } = burst;
  // A window that begins later is of before the clock was set back.
  const isOpen = last !== undefined && last.startedAt <= now && now < last.startedAt + perMs;
  const window = isOpen ? last : { startedAt: now, count: 0 };
  const { startedAt, count } = window;
  if (count < max) return { verdict, window: { startedAt, count: count + 1 } };
  return { verdict: { does: 'hold', rule: 'burst', until: startedAt + perMs, route: verdict.route }, window };
}

function lateness(asked: readonly AskedRoute[], question: Question): Telling['occasion'] {
  const dueAt = asked.map((route) => dueTimeOf(route, question)).find((due) => due !== undefined);
  if (dueAt === undefined) return undefined;
  return { template: 'late', dueAt, lateByMs: Math.max(0, question.moment.now - dueAt) };
}

function recovery({ row }: Subject, isRecovered: boolean): Telling['occasion'] {
  if (!isRecovered || row?.since === undefined) return undefined;
  return { template: 'recovered', failingSince: row.since, failures: row.failures };
}

function toldFrom(subject: Subject, verdict: Verdict, told: Told, now: number): Told {
  const { status, startedAt, likeness, row } = subject;
  const { heldBack } = told;
  if (status === 'succeeded')
    return withSuccess({ ...told, heldBack: verdict.does === 'tell' ? 0 : heldBack }, startedAt);
  if (status !== 'error' || row === undefined) return told;
  if (verdict.does === 'let go')
    return verdict.rule === 'repeat' ? { ...told, heldBack: heldBack + 1 } : told;
  const said = withToldError(told, { startedAt, likeness, at: now }, row);
  return verdict.does === 'tell' ? { ...said, heldBack: 0 } : said;
}
