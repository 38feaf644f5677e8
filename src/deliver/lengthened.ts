/** Lengthens the claim of an attempt that goes on, although the store may be away for a moment. */
import { LedgerUnavailable } from '../ledger/ledger.ts';
import { POLL_MS } from '../ledger/operations/turns.ts';
import type { Clock } from '../time/clock.ts';

interface Lengthening {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly isUnderWay: () => boolean;
  /** @throws {LedgerUnavailable} */
  readonly hold: (leftMs: number) => Promise<void>;
  readonly onUnforeseen: (error: unknown) => void;
}

/** Tries until it is written or the attempt has ended. Never rejects. @param ms how long the attempt goes on from now */
export async function lengthen(ms: number, lengthening: Lengthening): Promise<void> {
  const { clock, isUnderWay, hold, onUnforeseen } = lengthening;
  const until = clock.monotonic() + ms;
  while (isUnderWay()) {
    try {
      return await hold(Math.max(0, until - clock.monotonic()));
    } catch (error) {
      if (!(error instanceof LedgerUnavailable)) return onUnforeseen(error);
    }
    await clock.sleep(POLL_MS);
  }
}
