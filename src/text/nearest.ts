/** Suggests the valid name for a misspelt one, as of an option in a URL. */
import leven from 'leven';

/** Longer than any valid name, and short enough to compare quickly. */
const MAX_WORD_LENGTH = 100;

/** The candidate nearest to `word`, ignoring case; undefined when none is near enough. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > MAX_WORD_LENGTH) return undefined;
  // NFKC, since a Japanese input method may type full-width letters.
  const typed = word.normalize('NFKC').toLowerCase();
  let best: string | undefined;
  let bestDistance = allowedDistance(word) + 1;
  for (const candidate of candidates) {
    const distance = leven(typed, candidate.toLowerCase(), { maxDistance: bestDistance });
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** At least two edits from four letters on, since two swapped letters count as two. */
function allowedDistance(word: string): number {
  return word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3));
}

/** `; did you mean "x"?`, or '' without a near candidate. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const meant = nearest(word, candidates);
  return meant === undefined ? '' : `; did you mean "${meant}"?`;
}

export function nearestOrAll(word: string, known: readonly string[]): string {
  return didYouMean(word, known) || `; known: ${known.join(', ') || 'none'}`;
}

/** @param known names; one that ends with a dot stands for all that begin with it. @returns what is wrong, to be read after the value's path */
export function faultOfOptions(url: string, known: readonly string[]): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const isKnown = (name: string) =>
    known.some((each) => name === each || (each.endsWith('.') && name.startsWith(each)));
  const unknown = [...new URL(url).searchParams.keys()].find((name) => !isKnown(name));
  return (
    unknown && `has an option that nobody knows, ${JSON.stringify(unknown)}${didYouMean(unknown, known)}`
  );
}
