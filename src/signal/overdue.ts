/** When a job has been executing for too long. */

/** Counted from its start, or from when that was heard of, where the start is said to come later. */
export function overdueAt(
  overdueMs: number,
  { startedAt, receivedAt }: { readonly startedAt: number; readonly receivedAt: number },
): number {
  return Math.min(startedAt, receivedAt) + overdueMs;
}
