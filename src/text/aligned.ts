/** Knows text whose columns need a font of fixed width. */

/** A table shows in its first lines. */
const MOST_LINES = 100;

/** Whether two lines or more have columns: two blanks in a row after their first character, or `|` or `+` as that. */
export function isAligned(text: string): boolean {
  if (!/ {2}|(?:^|\n)[|+]/.test(text)) return false;
  let aligned = 0;
  for (const line of text.split('\n', MOST_LINES)) {
    if (/^[|+]/.test(line) || line.trimEnd().includes('  ', 1)) aligned += 1;
    if (aligned === 2) return true;
  }
  return false;
}
