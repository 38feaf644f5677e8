/** When destinations that have limited their rate may be sent something again. */

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
