/** What may be changed in a text of SQL so that it still is SQL. */

type Swap = readonly [found: RegExp, after: (found: string) => string];

const to = (after: string) => () => after;

const SWAPS: readonly Swap[] = [
  [/ AND /g, to(' OR ')],
  [/ OR /g, to(' AND ')],
  [/(?<=(?:WHERE|AND|OR|ON|WHEN) \(?[\w.]+ )=(?= )/g, to('<>')],
  [/<>/g, to('=')],
  // The lesser or the greater of two is the same where they are equal; what holds of all ids and names only tells which index to read.
  [/(?<!CASE WHEN [\w.]+) [<>] (?!0 AND)/g, (found) => `${found.trimEnd()}= `],
  [/[<>]=(?! '')/g, (found) => found.charAt(0)],
  [/IS NOT NULL/g, to('IS NULL')],
  [/IS NULL/g, to('IS NOT NULL')],
  [/NOT EXISTS/g, to('EXISTS')],
  [/(?<!NOT )EXISTS/g, to('NOT EXISTS')],
  [/NOT IN/g, to('IN')],
  [/(?<!NOT )\bIN \(/g, to('NOT IN (')],
  [/ DESC\b/g, to('')],
  // Where it says how rows are locked, the order is nothing that one process shows.
  [
    /ORDER BY [\w.+]+(?![\w.]| DESC|[^]*FOR UPDATE|[\w,. ]* \$\{tx\.(skipLocked|forUpdate)$)/g,
    (found) => `${found} DESC`,
  ],
  [/\bmin\(/g, to('max(')],
  [/\bmax\(/g, to('min(')],
  [/ \+ /g, to(' - ')],
  [/ - /g, to(' + ')],
];

/** @param next the expression after the text @returns each change of the text: what stands `at` a place, and what does after it */
export function sqlMutants(
  text: string,
  next = '',
): readonly { at: number; before: string; after: string }[] {
  return SWAPS.flatMap(([found, after]) =>
    [...`${text}${next}`.matchAll(found)]
      .filter(({ index }) => index < text.length)
      .map((match) => ({ at: match.index, before: match[0], after: after(match[0]) })),
  );
}
