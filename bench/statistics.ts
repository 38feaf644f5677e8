/** Percentiles and medians, and the order of subjects in a round. */

/** @param share 0.5 for the median, 0.99 for the 99th percentile */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The mean of the middle two if the count is even. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2;
}

/** Rotates the order each round and reverses every other one, so that no item always runs first or after the same one. */
export function orderInRound<Item>(items: readonly Item[], round: number): Item[] {
  const start = round % items.length;
  const order = [...items.slice(start), ...items.slice(0, start)];
  return round % 2 === 0 ? order : order.toReversed();
}
