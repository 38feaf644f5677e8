/** What a ledger forgets when it is asked to. */

/**
 * What goes: all of which nothing is undelivered, or only what reached nobody, since nobody was to be told or its result
 * was there first.
 */
export type Sweep = 'done' | 'reached_nobody';

export interface PruneRequest {
  readonly sweep: Sweep;
  /** What came before goes; milliseconds since the epoch. */
  readonly before: number;
  /** The id of a callback, up to which has been looked; undefined: where the last step of the sweep has come to. */
  readonly after?: number | undefined;
}

export interface PruneStep {
  /** How many callbacks went. */
  readonly forgotten: number;
  /** The id of the last one that was looked at. */
  readonly lookedAt: number;
  /** What comes after that is too young. */
  readonly isThrough: boolean;
}

export interface Pruning {
  /**
   * Forgets some of the callbacks that are old enough to go; how far the sweep has come is kept over restarts.
   * @throws {LedgerUnavailable}
   */
  prune(request: PruneRequest): Promise<PruneStep>;
  /**
   * Forgets some of the causes of alerts, BOTs and days that nobody needs any more, and counts some of the callbacks that a
   * version before has not counted.
   * @returns whether there is more to do
   * @throws {LedgerUnavailable}
   */
  tidy(): Promise<boolean>;
}
