/** Problems in the order in which their reader mends them: file by file, each from its first line to its last. */
import type { Problem } from './config.ts';

/** The files in the order in which they first come up. */
export function inFileOrder(problems: readonly Problem[]): Problem[] {
  const files = new Map<string, number>();
  for (const { place } of problems) if (!files.has(place.file)) files.set(place.file, files.size);
  const rank = ({ place }: Problem) => files.get(place.file) ?? 0;
  return problems.toSorted(
    (a, b) => rank(a) - rank(b) || a.place.line - b.place.line || a.place.column - b.place.column,
  );
}
