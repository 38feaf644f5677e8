/** What becomes of a message at a destination: told, held until something ends, or let go, and by which rule of which route. */
import type { StatusName } from '../callback/callback.ts';
import { type BurstWindow, enterBurst } from './burst.ts';
import { type Hold, holdAt } from './hold.ts';
import { type Burst, type Occasion, type RouteRules, type RuleName, RULES, type Snooze } from './rules.ts';
import type { Row } from './streak.ts';
import { isRecovery, isRepeated, type Told, withSuccess, withToldError } from './told.ts';

/** A callback, or what Botbell says by itself of a BOT. */
export interface Subject {
  readonly botId: string;
  /** Undefined: `overdue` or `missed`, which are told whatever the rules before `mute` say. */
  readonly status: StatusName | undefined;
  readonly startedAt: number;
  /** Of a result. */
  readonly row: Row | undefined;
  /** Of an error, as `likenessOf` has it. */
  readonly likeness: string;
}

/** A route that reaches the destination, with what only others can find out about it. */
export interface AskedRoute {
  readonly name: string;
  readonly on: readonly Occasion[];
  readonly rules: RouteRules;
  /** Whether its condition `when` holds. */
  readonly holdsWhen: boolean;
  /** The due time that this result is late for. */
  readonly lateFor: number | undefined;
}

/** What the ledger keeps of the destination. */
export interface DestinationFacts {
  readonly destination: string;
  /** Of the BOT there. */
  readonly told: Told;
  readonly snoozes: readonly Snooze[];
  /** Its channel's; undefined also where the message is exempt. */
  readonly burst: Burst | undefined;
  readonly window: BurstWindow | undefined;
}

export type Verdict =
  | { readonly does: 'tell' }
  | (Hold & { readonly does: 'hold' })
  | { readonly does: 'let go'; readonly rule: RuleName };

export type RouteVerdict = Verdict & { readonly route: string };

export interface Decision {
  readonly verdict: RouteVerdict;
  /** What the message is drawn by, told now or later; undefined: by its own status. */
  readonly template: 'late' | 'recovered' | undefined;
  readonly lateFor: number | undefined;
  /** Errors that `repeat` let go before this one, which says so. */
  readonly heldBack: number;
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
  const isFirstSuccess = isNews(subject, facts.told);
  const routes = asked.map((route) => ({
    ...verdictOf(route, { subject, facts, isFirstSuccess, moment }),
    route: route.name,
  }));
  const { verdict, window } = withinBurst(mostTelling(routes), facts, moment.now);
  const lateFor = asked.find((route) => route.lateFor !== undefined)?.lateFor;
  const isRecovered = asked.some(
    ({ on }, index) => on.includes('recovered') && routes[index]?.does !== 'let go',
  );
  return {
    verdict,
    template: lateFor !== undefined ? 'late' : isFirstSuccess && isRecovered ? 'recovered' : undefined,
    lateFor,
    heldBack: facts.told.heldBack,
    routes,
    told: toldFrom(subject, verdict, facts.told, moment.now),
    window,
  };
}

function isNews({ status, row, startedAt }: Subject, told: Told): boolean {
  return status === 'succeeded' && row !== undefined && isRecovery(told, { row, startedAt });
}

interface Question {
  readonly subject: Subject;
  readonly facts: DestinationFacts;
  readonly isFirstSuccess: boolean;
  readonly moment: Moment;
}

function verdictOf(route: AskedRoute, question: Question): Verdict {
  const { subject, facts, moment } = question;
  const rule = route.lateFor === undefined ? letGoBy(route, question) : undefined;
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

function withinBurst(
  verdict: RouteVerdict,
  { burst, window: last }: DestinationFacts,
  now: number,
): { readonly verdict: RouteVerdict; readonly window: BurstWindow | undefined } {
  if (verdict.does !== 'tell' || burst === undefined) return { verdict, window: last };
  const { window, heldUntil: until } = enterBurst(burst, last, now);
  if (until === undefined) return { verdict, window };
  return { verdict: { does: 'hold', rule: 'burst', until, route: verdict.route }, window };
}

function toldFrom({ status, startedAt, likeness }: Subject, verdict: Verdict, told: Told, now: number): Told {
  const { heldBack } = told;
  if (status === 'succeeded')
    return withSuccess({ ...told, heldBack: verdict.does === 'tell' ? 0 : heldBack }, startedAt);
  if (status !== 'error') return told;
  if (verdict.does === 'let go')
    return verdict.rule === 'repeat' ? { ...told, heldBack: heldBack + 1 } : told;
  const said = withToldError(told, { startedAt, likeness, at: now });
  return verdict.does === 'tell' ? { ...said, heldBack: 0 } : said;
}
