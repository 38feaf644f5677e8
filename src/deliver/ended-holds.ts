/**
 * What becomes of messages whose hold has ended, by the rules in force: told in one summary, or as itself if it is one alone, unless a
 * rule or a snooze still holds them.
 */
import { type StatusName, statusNameOf } from '../callback/callback.ts';
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import { NOT_ASKED_FOR, SUPERSEDED } from '../ledger/ledger.ts';
import { type FirstStep, tellingSteps } from '../ledger/incidents/escalations.ts';
import { ASKED_AGAIN_MS } from '../ledger/timers/admission.ts';
import {
  Counted,
  type EndedHold,
  type ForGood,
  type HeldOn,
  type HeldRow,
  type HoldsEnd,
} from '../ledger/deliveries/holds.ts';
import { destinationOf, type Timer } from '../ledger/timers/timers.ts';
import { type Plan, type PlannedTarget, routesOf } from '../route/router.ts';
import { decide } from '../signal/decide.ts';
import { NOTHING_TOLD } from '../signal/streak.ts';
import { plannedDelivery } from './plan.ts';
import { plannedFor, planOf, type Settings } from './settings.ts';

/** Reads what is held at the timer's destination step by step, and has what becomes of all of it written at once. */
export async function endHolds(
  timer: Timer,
  settings: Settings,
  ledger: Pick<DatabaseLedger, 'endedHolds' | 'endHolds'>,
): Promise<void> {
  const ends = new Ends(settings);
  for (let after = 0, isMore = true; isMore;) {
    const ended = await ledger.endedHolds(destinationOf(timer), after);
    for (const held of ended.held) ends.add(asOfNow(held), ended);
    after = ended.held.at(-1)?.callbackId ?? after;
    ({ isMore } = ended);
  }
  const { written, summary, escalating } = ends;
  await ledger.endHolds({ timer, ends: written, summary, escalating });
}

/** What becomes of a message: told now, held on, released to be routed anew, or not told. */
type Ended = Tells | HeldOn | ForGood | 'pending';

interface Tells {
  /** The first route that tells it, by name; undefined: not known. */
  readonly route: string | undefined;
  /** A route names it still. */
  readonly isPlanned: boolean;
  /** The routes with steps that tell it. */
  readonly escalating: readonly FirstStep[];
}

type Written = HoldsEnd['ends'][number] & { readonly rows: HeldRow[] };

/** What is to be written, gathered message by message. */
class Ends {
  readonly #settings: Settings;
  /** The routes' places in the config, by name. */
  readonly #places: ReadonlyMap<string, number>;
  readonly #known = new Map<string, Ended>();
  readonly #byOutcome = new Map<string, Written>();
  readonly #told: HeldRow[] = [];
  readonly #counted = new Counted();
  /** The first that is told. */
  #first: (EndedHold & Tells) | undefined;
  /** The first route that tells trouble, else the first that tells. */
  #teller: string | undefined;
  #rank = Infinity;
  /** By the BOT's key. */
  readonly escalating = new Map<string, readonly FirstStep[]>();

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#places = new Map(routesOf(settings.config).map(({ name }, place) => [name, place]));
  }

  add(held: EndedHold, ended: EndedHolds): void {
    const row = { id: held.id, callbackId: held.callbackId };
    const outcome = this.#outcomeOf(held, ended);
    if (typeof outcome === 'object' && 'isPlanned' in outcome) {
      this.#told.push(row);
      return this.#count(held, outcome);
    }
    if (typeof outcome === 'object' && isSame(held, outcome)) return;
    const key = JSON.stringify(outcome);
    const alike = this.#byOutcome.get(key) ?? { outcome, rows: [] };
    this.#byOutcome.set(key, alike);
    alike.rows.push(row);
  }

  /** Decides once for all that are alike. */
  #outcomeOf(held: EndedHold, ended: EndedHolds): Ended {
    const { kind, botId, status, telling, isOver, heldUntil } = held;
    // If the end of a hold is not known, the rules are asked again after a day.
    const askedAgainAt = heldUntil > ended.asOf ? heldUntil : ended.asOf + ASKED_AGAIN_MS;
    const key = JSON.stringify([kind, botId, status, telling, isOver, askedAgainAt]);
    const outcome = this.#known.get(key) ?? decideOn(held, askedAgainAt, ended, this.#settings);
    this.#known.set(key, outcome);
    return outcome;
  }

  #count(held: EndedHold, tells: Tells): void {
    this.#first ??= { ...held, ...tells };
    this.#counted.add(held);
    const isOfTrouble = held.kind !== 'callback' || statusNameOf(held) === 'error';
    if (isOfTrouble && tells.escalating.length > 0) {
      const known = this.escalating.get(held.botKey) ?? [];
      const others = tells.escalating.filter(([name]) => !known.some(([route]) => route === name));
      this.escalating.set(held.botKey, [...known, ...others]);
    }
    const place = this.#places.get(tells.route ?? '') ?? Infinity;
    const rank = isOfTrouble ? place : this.#places.size + place;
    if (rank >= this.#rank) return;
    this.#rank = rank;
    this.#teller = tells.route;
  }

  get written(): HoldsEnd['ends'] {
    const { telling, receivedAt: heldSince, route, isPlanned = false } = this.#first ?? {};
    const isAlone = isPlanned && this.#told.length === 1;
    const alone = { telling: { ...telling, heldSince, wantedBy: route === undefined ? [] : [route] } };
    return [...this.#byOutcome.values(), { outcome: isAlone ? alone : 'summary', rows: this.#told }];
  }

  get summary(): HoldsEnd['summary'] {
    const { destination = '', channel = '', address = '' } = this.#first ?? {};
    const telling = this.#teller === undefined ? undefined : { wantedBy: [this.#teller] };
    return { subject: this.#counted.subject, to: { destination, channel, address, telling } };
  }
}

/** A success after which the BOT has failed again is no recovery any more. */
function asOfNow(held: EndedHold): EndedHold {
  return held.hasFailedAgain ? { ...held, telling: { ...held.telling, occasion: undefined } } : held;
}

function isSame(held: EndedHold, { reason, heldUntil, snoozeId }: HeldOn): boolean {
  return reason === held.reason && heldUntil === held.heldUntil && snoozeId === held.snoozeId;
}

type EndedHolds = Awaited<ReturnType<DatabaseLedger['endedHolds']>>;

function decideOn(
  held: EndedHold,
  askedAgainAt: number,
  { asOf, snoozes }: EndedHolds,
  settings: Settings,
): Ended {
  const { destination, botId, kind, telling } = held;
  if (held.isOver) return SUPERSEDED;
  const plan = planOf(settings, held);
  const target = plannedFor(held, plan);
  if (isLetGo(held, plan, settings)) return NOT_ASKED_FOR;
  if (target === undefined) return unplanned(held, plan, settings);
  const { asked = [] } = plannedDelivery(settings.config, target);
  if (asked.length === 0) return { route: undefined, isPlanned: true, escalating: [] };
  const wanting = asked.filter(({ name }) => telling?.wantedBy?.includes(name));
  const status: StatusName | undefined = kind === 'callback' ? statusNameOf(held) : undefined;
  const subject = {
    id: 0,
    botId,
    status,
    startedAt: asOf,
    row: undefined,
    likeness: '',
    unmet: [],
    isWanted: true,
  };
  const here = { destination, snoozes, told: NOTHING_TOLD, lateFor: new Map(), burst: undefined };
  const { timezone } = settings.config.display;
  const routes = wanting.length === 0 ? asked : wanting;
  const decided = decide(subject, routes, { ...here, window: undefined }, { now: asOf, timezone });
  const { ruling } = decided;
  if (ruling.does !== 'hold') {
    const tells = decided.routes.flatMap(({ does, route }) => (does === 'tell' ? [route] : []));
    const escalating = tellingSteps([{ ...held, asked }], [{ ...held, reason: undefined, tells }]);
    return { route: ruling.route, isPlanned: true, escalating };
  }
  const { rule: reason, until: heldUntil = askedAgainAt, snoozeId } = ruling;
  return { reason, heldUntil, snoozeId };
}

/** A callback is routed anew. What Botbell tells by itself is told where it was held, unless only other destinations are left. */
function unplanned({ kind, destination }: EndedHold, plan: Plan, { destinations }: Settings): Ended {
  const isElsewhere = plan.destinations.length > 0 && !destinations.has(destination);
  if (kind === 'callback' || isElsewhere) return 'pending';
  return { route: undefined, isPlanned: false, escalating: [] };
}

/** Whether routes of its BOT name the destination still, but none for its status: nobody is to be woken for what he has switched off. */
function isLetGo(
  { kind, botId, destination, telling }: EndedHold,
  plan: Plan,
  { router }: Settings,
): boolean {
  const isIt = (target: PlannedTarget) => target.destination === destination;
  const isOccasion = telling?.occasion !== undefined && [...plan.perhaps, ...plan.later].some(isIt);
  if (kind !== 'callback' || isOccasion || plan.destinations.some(isIt)) return false;
  return [...router.watchersOf(botId, () => true), ...plan.later].some(isIt);
}
