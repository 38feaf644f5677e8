/** At most one line in a while for each reason: who is turned away again and again must not fill the disk. */
import type { Clock } from '../time/clock.ts';

/** Reasons are ours, so they are few; what would be one more than this shares the place of all others. */
const MOST_REASONS = 100;

export type LineLimit<Line> = (reason: string, line: Line) => void;

/** @param write gets a line, and how many of its reason were not written since the one before */
export function lineLimit<Line>(
  clock: Pick<Clock, 'monotonic'>,
  everyMs: number,
  write: (line: Line, notLogged: number) => void,
): LineLimit<Line> {
  const said = new Map<string, { readonly at: number; notLogged: number }>();
  return (reason, line) => {
    const key = said.has(reason) || said.size < MOST_REASONS ? reason : '';
    const before = said.get(key);
    const now = clock.monotonic();
    if (before !== undefined && now < before.at + everyMs) {
      before.notLogged += 1;
      return;
    }
    said.set(key, { at: now, notLogged: 0 });
    write(line, before?.notLogged ?? 0);
  };
}
