/** The valid name that a misspelt one was meant to be. */
import leven from 'leven';

/** Longer than any name worth a suggestion, and short enough to compare quickly. */
const MAX_WORD_LENGTH = 100;

/** The candidate nearest to `word`, whatever the case; undefined when none is near enough to be meant. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > MAX_WORD_LENGTH) return undefined;
  // Full-width letters are those of the keyboard, typed in another mode.
  const typed = word.normalize('NFKC').toLowerCase();
  let best: string | undefined;
  let bestDistance = allowedDistance(word) + 1;
  for (const candidate of candidates) {
    const distance = leven(typed, candidate.toLowerCase(), { maxDistance: bestDistance });
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Two swapped letters count as two edits, so words of four letters and more are allowed as many. */
function allowedDistance(word: string): number {
  return word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3));
}

/** `; did you mean "x"?`, or nothing. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const meant = nearest(word, candidates);
  return meant === undefined ? '' : `; did you mean "${meant}"?`;
}

/** The nearest one, or which there are. */
export function nearestOrAll(word: string, known: readonly string[]): string {
  return didYouMean(word, known) || `; known: ${known.join(', ') || 'none'}`;
}
