/** What is asked of the ledger about other deliveries of the same job, or of the same callback. */
import type { Receipt } from '../../channels/channel.ts';

export interface Turns {
  /** The delivery that must be through before this one; undefined: none. @throws {LedgerUnavailable} */
  predecessorOf(
    deliveryId: number,
    withinMs?: number,
  ): Promise<{ readonly id: number; readonly isClaimed: boolean } | undefined>;
  /**
   * Receipts of what its job has had delivered there before, of what was marked as followed: the first and the last,
   * oldest first.
   * @throws {LedgerUnavailable}
   */
  earlierReceipts(deliveryId: number, withinMs?: number): Promise<readonly Receipt[]>;
  /** Those of the deliveries that some process has in hand. @throws {LedgerUnavailable} */
  claimedAmong(deliveryIds: readonly number[], withinMs?: number): Promise<readonly number[]>;
  /**
   * Those that are pending are Botbell's own from now on, also where somebody is making them at this moment. Flushed with
   * what is settled after it.
   * @throws {LedgerUnavailable}
   */
  takeOver(deliveryIds: readonly number[], withinMs?: number): Promise<void>;
}
