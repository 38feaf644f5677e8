/**
 * A mistake that a person could make, planted alone in a copy of the tree to see whether the simulator finds it. If the text that it
 * replaces has changed, plant it anew by what it does.
 */
export interface Planted {
  /** What the product does wrong with the fault. */
  readonly does: string;
  /** Relative to the root of the tree. */
  readonly file: string;
  /** Occurs once in the file. */
  readonly from: string;
  readonly to: string;
}
