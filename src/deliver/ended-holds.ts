/** What becomes of messages whose hold has ended, by the rules in force: told in one summary, unless a rule or a snooze still holds them. */
import { type StatusName, statusNameOf } from '../callback/callback.ts';
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import { type DeliveryTarget, SUPERSEDED } from '../ledger/ledger.ts';
import { ASKED_AGAIN_MS } from '../ledger/signal/admission.ts';
import {
  Counted,
  type EndedHold,
  type EndedHolds,
  type HeldOn,
  type HeldRow,
  type HoldOutcome,
} from '../ledger/signal/holds.ts';
import { destinationOf, type Timer } from '../ledger/signal/timers.ts';
import { decide } from '../signal/decide.ts';
import { NOTHING_TOLD } from '../signal/streak.ts';
import { plannedDelivery } from './plan.ts';
import { plannedFor, planOf, type Settings } from './settings.ts';

/** Reads what is held at the timer's destination step by step, and has what becomes of all of it written at once. */
export async function endHolds(
  timer: Timer,
  settings: Settings,
  signals: Pick<DatabaseLedger['signals'], 'endedHolds' | 'endHolds'>,
): Promise<void> {
  const ends = new Ends();
  for (let after = 0, isMore = true; isMore;) {
    const ended = await signals.endedHolds(destinationOf(timer), after);
    const outcomeOf = decider(ended, settings);
    for (const held of ended.held) ends.add(held, outcomeOf(held));
    after = ended.held.at(-1)?.callbackId ?? after;
    ({ isMore } = ended);
  }
  await signals.endHolds({ timer, ends: [...ends.byOutcome.values()], summary: ends.summary });
}

/** What is to be written, gathered message by message. */
class Ends {
  readonly byOutcome = new Map<string, { readonly outcome: HoldOutcome; readonly rows: HeldRow[] }>();
  readonly #counted = new Counted();
  #to: DeliveryTarget = { destination: '', channel: '', address: '' };

  add(held: EndedHold, outcome: HoldOutcome): void {
    if (typeof outcome === 'object' && isSame(held, outcome)) return;
    const key = JSON.stringify(outcome);
    const alike = this.byOutcome.get(key) ?? { outcome, rows: [] };
    this.byOutcome.set(key, alike);
    const { id, callbackId, destination, channel, address } = held;
    alike.rows.push({ id, callbackId });
    if (outcome !== 'summary') return;
    this.#counted.add(held);
    this.#to = { destination, channel, address };
  }

  get summary() {
    return { subject: this.#counted.subject, to: this.#to };
  }
}

function isSame(held: EndedHold, { reason, heldUntil, snoozeId }: HeldOn): boolean {
  return reason === held.reason && heldUntil === held.heldUntil && snoozeId === held.snoozeId;
}

/** What rules decide of a message; `heldUntil` is undefined where they know no end. */
type Decided =
  Exclude<HoldOutcome, HeldOn> | (Omit<HeldOn, 'heldUntil'> & { readonly until: number | undefined });

/** Decides once for all that are alike. */
function decider(ended: EndedHolds, settings: Settings): (held: EndedHold) => HoldOutcome {
  const known = new Map<string, Decided>();
  return (held) => {
    const { kind, botId, status, telling, isLate, heldUntil } = held;
    const key = JSON.stringify([kind, botId, status, telling, isLate]);
    const decided = known.get(key) ?? decideOn(held, ended, settings);
    known.set(key, decided);
    if (typeof decided === 'string') return decided;
    // If the end of a hold is not known, the rules are asked again after a day.
    const { until = heldUntil > ended.asOf ? heldUntil : ended.asOf + ASKED_AGAIN_MS, ...hold } = decided;
    return { ...hold, heldUntil: until };
  };
}

function decideOn(held: EndedHold, { asOf, snoozes }: EndedHolds, settings: Settings): Decided {
  const { destination, botId, kind, telling } = held;
  if (held.isLate) return SUPERSEDED;
  const plan = planOf(settings, held);
  const target = plannedFor(held, plan);
  // A callback is routed anew. What Botbell tells by itself is told where it was held, unless only other destinations are left.
  const isElsewhere = plan.destinations.length > 0 && !settings.destinations.has(destination);
  if (target === undefined) return kind === 'callback' || isElsewhere ? 'pending' : 'summary';
  const { asked = [] } = plannedDelivery(settings.config, target, botId);
  if (asked.length === 0) return 'summary';
  const wanting = asked.filter(({ name }) => telling?.wantedBy?.includes(name));
  const status: StatusName | undefined = kind === 'callback' ? statusNameOf(held) : undefined;
  const subject = { botId, status, startedAt: asOf, row: undefined, likeness: '', unmet: [], isWanted: true };
  const here = { destination, snoozes, told: NOTHING_TOLD, lateFor: new Map(), burst: undefined };
  const { timezone } = settings.config.display;
  const routes = wanting.length === 0 ? asked : wanting;
  const { verdict } = decide(subject, routes, { ...here, window: undefined }, { now: asOf, timezone });
  if (verdict.does !== 'hold') return 'summary';
  const { rule: reason, until, snoozeId } = verdict;
  return { reason, until, snoozeId };
}
