/** Shares a room fairly: nobody gets more than he needs, and who needs more than the others gets what they leave. */

/**
 * @param needs of each, in any unit
 * @returns what each gets of `room`, in the same order; together no more than `room`
 */
export function fairShares(needs: readonly number[], room: number): readonly number[] {
  const shares = needs.map(() => 0);
  const smallestFirst = needs
    .map((need, index) => ({ need, index }))
    .sort((one, other) => one.need - other.need);
  let left = room;
  for (const [place, { need, index }] of smallestFirst.entries()) {
    const share = Math.min(need, Math.floor(left / (needs.length - place)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}
