/** What a request asks of the ledger that waits for what somebody else attempts, and when limited destinations may be sent to. */
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

/** A destination or channel, and how long nothing may be sent to it. */
export interface Pace {
  readonly destination: string;
  /** Milliseconds; negative: the last slot was so long ago. */
  readonly nextInMs: number;
}

/** When each destination that has limited its rate may be sent the next message, for all processes and over restarts. */
export interface PaceStore {
  /** Several processes send: a slot is theirs only when the store has given it to them. */
  readonly isShared: boolean;
  /**
   * Takes the destination's next slot.
   * @param intervalMs until the slot after it
   * @returns milliseconds until it; undefined, and nothing taken, where that is more than `mostMs`
   * @throws {LedgerUnavailable}
   */
  reserve(destination: string, intervalMs: number, mostMs: number): Promise<number | undefined>;
  /** Gives no slot for so long; those given before are void. @throws {LedgerUnavailable} */
  pause(destination: string, ms: number): Promise<void>;
  /** Forgets a channel as a whole, and its destinations. @throws {LedgerUnavailable} */
  forget(channel: string): Promise<void>;
  /** Forgets those whose last slot is more than `idleMs` ago. @returns the others @throws {LedgerUnavailable} */
  current(idleMs: number): Promise<readonly Pace[]>;
}
