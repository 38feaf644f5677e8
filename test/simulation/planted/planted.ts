/**
 * A mistake that a person could make, planted alone in a copy of the tree to see whether the simulator finds it. If the text that it
 * replaces has changed, plant it anew by what it does.
 */
export interface Planted {
  /** What the product does wrong with the fault. */
  readonly does: string;
  readonly file: string;
  /** `one «other → another» text`: the text, which occurs once in the file, and in it what is changed. */
  readonly change: string;
}

/** The text that occurs once in the file, and the one that is planted in its place. */
export function textsOf({ change }: Planted): { readonly from: string; readonly to: string } {
  const [, before = '', was = '', is = '', after = ''] = /^(.*)«(.*) → (.*)»(.*)$/s.exec(change) ?? [];
  return { from: before + was + after, to: before + is + after };
}
