/**
 * A fault that somebody could make, planted alone in a copy of the tree to see whether the simulator finds it. Where the text that is
 * replaced has changed, the fault is planted anew by what it does.
 */
export interface Planted {
  /** What the product does wrong then. */
  readonly does: string;
  /** Relative to the root of the tree. */
  readonly file: string;
  /** Stands there once. */
  readonly from: string;
  readonly to: string;
}
