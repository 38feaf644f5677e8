/** How deliveries stand in today's config, and how one ends that it no longer sends there. Pure. */
import { DeliveryFailure } from '../channels/failure.ts';
import type { PendingRow, UnroutedRow } from '../ledger/configs/config-store.ts';
import { type DeliveryRecord, type DeliveryUpdate, type DueDelivery } from '../ledger/ledger.ts';
import { NO_LONGER_ROUTED } from '../ledger/hold.ts';
import { isAlert } from '../notice/notice.ts';
import { type AlertSettings, withAlert } from './alerts.ts';
import { errorOf } from './outcome.ts';
import { type Plan, plannedFor } from './plan.ts';

const NOT_ROUTED = new DeliveryFailure({
  class: 'config',
  code: 'not_routed',
  message:
    'No route of the config names anybody for this callback any more. Was a route removed, or its bot_id or `on` changed? Once a route names this destination again, Botbell delivers it, within `delivery.give_up_after`.',
});

/** The end of a delivery that the plan does not name: told elsewhere, or to nobody. */
export function endOfUnrouted(due: DueDelivery, plan: Plan, alerts: AlertSettings): DeliveryUpdate {
  const { record, notice, firstReceivedAt } = due;
  const { id, attempts, failedAnswers, lastError, isTakenOver } = record;
  const ended = {
    id,
    attempts,
    failedAnswers,
    receipt: undefined,
    hold: { code: NO_LONGER_ROUTED },
    isTakenOver,
    dueInMs: 0,
  };
  // Of an alert that nobody is to be told, nobody is alerted.
  if (isAlert(notice) || plan.targets.length > 0) return { ...ended, state: 'held', lastError };
  const dead: DeliveryUpdate = { ...ended, state: 'dead', lastError: errorOf(NOT_ROUTED) };
  return withAlert(dead, record, { callback: notice.callback, firstReceivedAt }, alerts);
}

/** Attempted, or routed anew, by another process, or by this one later. */
export function putOff(record: DeliveryRecord, dueInMs: number): DeliveryUpdate {
  const { id, attempts, failedAnswers, lastError } = record;
  return {
    id,
    state: 'pending',
    attempts,
    failedAnswers,
    lastError,
    receipt: undefined,
    isTakenOver: true,
    dueInMs,
  };
}

/** Whether a config that has just been loaded may have mended what this one waits for. */
export function isAffected({ isPutOff, lastErrorClass }: PendingRow, isRouted: boolean): boolean {
  return isPutOff && (lastErrorClass === 'config' || !isRouted);
}

/** Of what ended because no route named it, what a route that came back has told after all. */
export function isRevivable(
  { kind, state, ageMs }: Pick<UnroutedRow, 'kind' | 'state' | 'ageMs'>,
  isRouted: boolean,
  giveUpAfterMs: number,
): boolean {
  return kind === 'callback' && isRouted && (state === 'held' || state === 'dead') && ageMs < giveUpAfterMs;
}

/** Of the deliveries of a callback that came again. */
export function revivableAmong(
  records: readonly DeliveryRecord[],
  plan: Plan,
  giveUpAfterMs: number,
): readonly DeliveryRecord[] {
  return records.filter(
    (record) =>
      record.hold?.code === NO_LONGER_ROUTED &&
      isRevivable({ ...record, kind: 'callback' }, plannedFor(record, plan) !== undefined, giveUpAfterMs),
  );
}
