/** The result that a 200 tells, from how the deliveries of its callback stand: pure. */
import type { CallbackResult, DeliveryState } from '../ledger.ts';

interface Circumstances {
  /** An `executing` that came after its job's result. */
  readonly isSuperseded: boolean;
  /** It is answered before its deliveries are attempted. */
  readonly isAccepted: boolean;
  /** Something was attempted, and has ended, while the POST waited. */
  readonly hasEnded?: boolean;
}

export function resultOf(
  states: readonly DeliveryState[],
  { isSuperseded, isAccepted, hasEnded = false }: Circumstances,
): CallbackResult {
  if (isAccepted && states.includes('pending')) return 'accepted';
  if (isSuperseded) return 'superseded';
  if (states.length === 0) return 'no_route';
  if (states.includes('dead')) return 'gave_up';
  if (states.includes('pending')) return 'taken_over';
  if (states.every((state) => state === 'held')) return 'held';
  return hasEnded ? 'delivered' : 'duplicate';
}
