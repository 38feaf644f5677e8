/** What rules would do about a callback at a destination, and by what of all that came before, as lines on a terminal. */
import { type StatusCode, type StatusName, statusNameOf } from '../callback/callback.ts';
import type { PlannedDelivery, PlannedRoute } from '../ledger/ledger.ts';
import type { ExpectedBot } from '../ledger/signal/admission.ts';
import { burstKey } from '../ledger/signal/decisions.ts';
import type { Foreseen, Known } from '../ledger/signal/foresee.ts';
import type { BurstWindow } from '../signal/burst.ts';
import type { Decision, RouteVerdict } from '../signal/decide.ts';
import { NOTHING_TOLD } from '../signal/told.ts';
import { formatInstant } from '../time/display.ts';

export interface Foreseeing {
  readonly status: StatusCode;
  /** Undefined: nothing is. */
  readonly known: Known | undefined;
  readonly timezone: string;
  /** Somebody asked about rules: who is simply told is said, too. */
  readonly isAsked: boolean;
}

/** @returns none of who is told whatever came before; undefined: it does not reach that destination */
export function foreseenInLines(foreseen: Foreseen, of: Foreseeing): readonly string[] | undefined {
  const { decision, target } = foreseen;
  const leaning = BEFORE.filter(({ matters }) => matters(target, statusNameOf(of), of.isAsked));
  const names = leaning.map(({ name }) => name);
  const { known } = of;
  const isUnsure = known === undefined && names.length > 0;
  const before = isUnsure ? [`depends on what came before: ${[...names, 'snoozes'].join(', ')}`] : [];
  const facts =
    known === undefined ? [] : leaning.map(({ name, fact }) => `${name}: ${fact(foreseen, known, of)}`);
  if (decision === undefined) return before;
  const { does } = decision.verdict;
  if (!isUnsure && does === 'let go' && decision.verdict.rule === 'on') return undefined;
  const isPlain = does === 'tell' && decision.template === undefined && names.length === 0;
  if (isPlain) return of.isAsked ? ['told'] : [];
  return [...verdictsOf(decision, foreseen, of), ...before, ...facts];
}

/** The one that counts first. */
function verdictsOf({ verdict, routes, template }: Decision, foreseen: Foreseen, of: Foreseeing): string[] {
  const others = routes.filter(({ route }) => route !== verdict.route);
  const drawn = template === undefined ? '' : `, as ${template}`;
  const lines = [verdict, ...others].map((each) => `${each.route}: ${inWords(each, foreseen, of)}`);
  return lines.map((line, index) => (index === 0 ? `${line}${drawn}` : line));
}

/** `held by mute until 25 Nov 2026, 07:00:00 (GMT+9)` */
function inWords(verdict: RouteVerdict, { snoozes }: Foreseen, of: Foreseeing): string {
  if (verdict.does === 'tell') return 'told';
  if (verdict.does === 'let go') return `not told, by ${verdict.rule}`;
  const { rule, until, snoozeId } = verdict;
  const end = until === undefined ? 'with no end' : `until ${timeIn(of)(until)}`;
  if (rule !== 'snooze') return `held by ${rule}, ${end}`;
  const snooze = snoozes.find(({ id }) => id === snoozeId);
  return `held by snooze ${snooze?.id} of ${snooze?.by}, ${end}: ${snooze?.because || 'no reason given'}`;
}

function timeIn({ timezone }: Pick<Foreseeing, 'timezone'>): (ms: number) => string {
  return (ms) => formatInstant(ms, timezone, 'en');
}

interface Before {
  readonly name: string;
  readonly matters: (target: PlannedDelivery, status: StatusName, isAsked: boolean) => boolean;
  readonly fact: (foreseen: Foreseen, known: Known, of: Foreseeing) => string;
}

/** What of all that came before a decision depends on, and how it stands. */
const BEFORE: readonly Before[] = [
  {
    name: 'after_failures',
    matters: (target, status) => status === 'error' && asks(target, ({ rules }) => rules.afterFailures > 1),
    fact: ({ row }) => `${counted(row?.failures ?? 0, 'error')} in a row so far, with this one`,
  },
  {
    name: 'repeat',
    matters: (target, status) => status === 'error' && asks(target, ({ rules }) => rules.repeat !== 'every'),
    fact: (foreseen, known, of) => {
      const { last, heldBack } = toldAt(foreseen, known);
      if (last === undefined) return 'no error that goes on has been told here';
      return `an error was last told here at ${timeIn(of)(last.at)}, and ${heldBack} not told since`;
    },
  },
  {
    name: 'recovered',
    matters: (target, status) => status === 'succeeded' && asks(target, ({ on }) => on.includes('recovered')),
    fact: (foreseen, known) =>
      `${counted(toldAt(foreseen, known).errors.length, 'error')} told here that no success has followed`,
  },
  {
    name: 'expect',
    matters: (target, status) => status !== 'executing' && asks(target, ({ timer }) => timer !== undefined),
    fact: ({ target: { asked = [] } }, { timers }, of) => {
      const known = asked.flatMap(({ timer = '' }) => (timers[timer] as ExpectedBot | undefined) ?? []);
      const dues = known.map(({ expected }) => `a result is due at ${timeIn(of)(expected.dueAt)}`);
      return [...new Set(dues)].join(', ') || 'it begins with this callback';
    },
  },
  {
    name: 'burst',
    matters: ({ burst }, _status, isAsked) => isAsked && burst !== undefined,
    fact: ({ target: { destination, burst } }, { timers }, of) => {
      const window = timers[burstKey(destination)] as BurstWindow | undefined;
      if (window === undefined) return 'nothing has been told here';
      return `${window.count} of ${burst?.max} told here in the window that began at ${timeIn(of)(window.startedAt)}`;
    },
  },
];

function asks({ asked = [] }: PlannedDelivery, isSo: (route: PlannedRoute) => boolean): boolean {
  return asked.some(isSo);
}

function toldAt({ target }: Foreseen, { facts }: Known) {
  return facts.told[target.destination] ?? NOTHING_TOLD;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
