/** Text whose columns need a font of fixed width. */

/** How many lines are examined: a table shows in its first ones. */
const MOST_LINES = 100;

/** Two blanks, also full-width ones; or `|`, `+`, `│`, `├` and the like at the beginning, but no horizontal line, which may divide prose. */
const COLUMNS = /^.+[ \u3000]{2}.|^[|+\u2502\u2503\u250c-\u254b\u2551-\u2570]/;

/** The line below the head of a table that has none around it, as psql and Markdown draw it. */
const HEAD_RULE = /\n *[-:]{2,}(?: ?[+|] ?[-:]+)+ *(?:\n|$)/;

/**
 * Whether at least two lines have columns: two blanks in a row after the first character, or a vertical line or a corner as the first;
 * or one divides a head from its columns.
 */
export function isAligned(text: string): boolean {
  if (HEAD_RULE.test(text)) return true;
  if (!/[ \u3000]{2}|(?:^|\n)[|+\u2502-\u2570]/.test(text)) return false;
  let aligned = 0;
  for (const line of text.split('\n', MOST_LINES)) {
    if (COLUMNS.test(line.trimEnd())) aligned += 1;
    if (aligned === 2) return true;
  }
  return false;
}

const GRAPHEMES = new Intl.Segmenter();

/** What terminals draw twice as wide as a letter: East Asian wide and full-width characters (UAX #11), and emoji. */
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation})/u;

/** What most cells are of, and needs no search for graphemes, which takes seconds for thousands of lines. */
const ASCII = /^[ -~]*$/;

/** Columns of a line in a terminal. */
function widthOf(line: string): number {
  if (ASCII.test(line)) return line.length;
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(line)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** Each row as a line with aligned columns, the first one to the left. @param others the side of the other columns: `right` for numbers */
export function inColumns(
  rows: readonly (readonly string[])[],
  others: 'left' | 'right' = 'right',
): readonly string[] {
  const widths =
    rows[0]?.map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? '')))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const blanks = ' '.repeat((widths[column] ?? 0) - widthOf(cell));
        return column === 0 || others === 'left' ? cell + blanks : blanks + cell;
      })
      .join('  '),
  );
}
