/** What becomes of a held message, now that its hold has ended or the config has changed. */
import { type StatusName, statusNameOf } from '../callback/callback.ts';
import { SUPERSEDED } from '../ledger/ledger.ts';
import { ASKED_AGAIN_MS } from '../ledger/signal/admission.ts';
import type { EndedHold, EndedHolds, HoldDecision } from '../ledger/signal/holds.ts';
import { decide } from '../signal/decide.ts';
import { NOTHING_TOLD } from '../signal/streak.ts';
import { planOf, plannedFor, type Settings } from './settings.ts';
import { plannedDelivery } from './watch.ts';

/** By today's config: it is told, unless one of its holders goes on. */
export function afterHold(
  held: EndedHold,
  { asOf, snoozes }: Pick<EndedHolds, 'asOf' | 'snoozes'>,
  settings: Settings,
): HoldDecision['outcome'] {
  const { destination, botId, kind } = held;
  if (held.isLate) return SUPERSEDED;
  const target = plannedFor(held, planOf(settings, held));
  // A callback follows the config; of what Botbell says by itself, there is nobody else to tell.
  if (target === undefined) return kind === 'callback' ? 'pending' : 'summary';
  const { asked = [] } = plannedDelivery(settings, target, botId);
  if (asked.length === 0) return 'summary';
  const status: StatusName | undefined = kind === 'callback' ? statusNameOf(held) : undefined;
  const subject = { botId, status, startedAt: asOf, row: undefined, likeness: '', isWanted: true };
  const here = { destination, snoozes, told: NOTHING_TOLD, lateFor: new Map(), burst: undefined };
  const { timezone } = settings.config.display;
  const { verdict } = decide(subject, asked, { ...here, window: undefined }, { now: asOf, timezone });
  if (verdict.does !== 'hold') return 'summary';
  const { rule: reason, until: heldUntil = asOf + ASKED_AGAIN_MS, snoozeId } = verdict;
  return { reason, heldUntil, snoozeId };
}

/** Whether that is not how it stands already. */
export function isAnother({ held, outcome }: HoldDecision): boolean {
  if (typeof outcome === 'string') return true;
  const { reason, heldUntil, snoozeId } = outcome;
  return reason !== held.reason || heldUntil !== held.heldUntil || snoozeId !== held.snoozeId;
}
