/** What a request asks of the ledger that waits for what somebody else attempts. */

export interface Turns {
  /** The delivery that must be through before this one; undefined: none. @throws {LedgerUnavailable} */
  predecessorOf(
    deliveryId: number,
    withinMs?: number,
  ): Promise<{ readonly id: number; readonly isClaimed: boolean } | undefined>;
  /** Those of the deliveries that some process has in hand. @throws {LedgerUnavailable} */
  claimedAmong(deliveryIds: readonly number[], withinMs?: number): Promise<readonly number[]>;
  /**
   * Those that are pending are Botbell's own from now on, also where somebody is making them at this moment. Flushed with
   * what is settled after it.
   * @throws {LedgerUnavailable}
   */
  takeOver(deliveryIds: readonly number[], withinMs?: number): Promise<void>;
}
