/** What deliveries that failed say of their destinations' incidents. */
import type { Sign } from '../../incident/incident.ts';
import { gistOf } from '../../text/gist.ts';
import { keyOf } from '../callbacks/keys.ts';
import type { Tx } from '../database.ts';
import type { DeliveryRecord, DeliveryUpdate } from '../ledger.ts';
import type { Raised } from './alerts.ts';
import { notice } from './signs.ts';

interface Failed extends DeliveryUpdate {
  /** As it was before. */
  readonly row: Pick<DeliveryRecord, 'callbackId' | 'isTakenOver' | 'lastError'>;
}

/** It has failed so before, as Botbell's own: that says nothing new. */
function isKnown({ row: { isTakenOver, lastError: before }, state, lastError }: Failed): boolean {
  const isSame = before?.class === lastError?.class && before?.code === lastError?.code;
  return state === 'pending' && isTakenOver && isSame;
}

/** A dead letter, what Botbell goes on with while the config has to be mended, and being down are troubles of a destination. */
function signOf({ state, isTakenOver, lastError, alert }: Failed): Sign | undefined {
  if (state === 'dead') return 'dead';
  if (state !== 'pending' || !isTakenOver) return undefined;
  if (lastError?.class === 'config') return 'config';
  if (alert === undefined) return undefined;
  return lastError?.class === 'rate_limited' ? 'limited' : 'down';
}

/** Locks incidents in the order of their destinations. @returns the alerts that they raise */
export async function noticeFailures(tx: Tx, decisions: readonly Failed[]): Promise<readonly Raised[]> {
  const raised: Raised[] = [];
  for (const decision of decisions.toSorted((a, b) => (a.destination < b.destination ? -1 : 1))) {
    const { destination, lastError, alert, row } = decision;
    const sign = signOf(decision);
    if (sign === undefined) continue;
    const isAgain = isKnown(decision);
    const whose = { kind: 'destination', key: keyOf(destination), subject: destination, name: '' } as const;
    const told = { sign, gist: gistOf(lastError?.message ?? ''), about: row.callbackId, isAgain };
    const incident = await notice(tx, { ...whose, ...told });
    if (incident !== undefined && alert !== undefined && !isAgain)
      raised.push([incident, { about: row.callbackId, ...alert }]);
  }
  return raised;
}
