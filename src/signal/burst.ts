/** How many messages a destination gets in a while, before one summary tells the rest. */
import type { Burst } from './rules.ts';

/** What is kept of a destination. */
export interface BurstWindow {
  readonly startedAt: number;
  /** Messages told in it. */
  readonly count: number;
}

/**
 * One more message for a destination.
 * @returns the window from now on, and when it ends, where the message has to wait for that
 */
export function enterBurst(
  { max, perMs }: Burst,
  last: BurstWindow | undefined,
  now: number,
): { readonly window: BurstWindow; readonly heldUntil: number | undefined } {
  // A window that begins later is of before the clock was set back.
  const isOpen = last !== undefined && last.startedAt <= now && now < last.startedAt + perMs;
  if (!isOpen) return { window: { startedAt: now, count: 1 }, heldUntil: undefined };
  if (last.count >= max) return { window: last, heldUntil: last.startedAt + perMs };
  return { window: { ...last, count: last.count + 1 }, heldUntil: undefined };
}
