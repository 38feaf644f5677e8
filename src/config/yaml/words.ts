/** Lines that stand where keys do and are none: a colon, or the blank behind it, is missing. */
import { BLANK, nameOf } from './blanks.ts';
import type { Line } from './lines.ts';
import { restOf, type Reading } from './reading.ts';
import type { Edit, Slip } from './slip.ts';

interface Rule {
  readonly pattern: RegExp;
  readonly message: string | ((found: string) => string);
  /** What the pattern found gives way to; undefined: that cannot be told. */
  readonly insert?: (found: string) => string;
}

const BLANK_AFTER_COLON: Rule = {
  pattern: new RegExp(`^[^\\s"'{}[\\],#:]+:${BLANK}(?: |${BLANK})*`),
  message: (found) => `${nameOf(found)} stands behind the colon: use a space`,
  insert: (found) => `${found.slice(0, found.indexOf(':'))}: `,
};

const KEY_RULES: readonly Rule[] = [
  BLANK_AFTER_COLON,
  {
    pattern: /^(?:<{7}|={7}|>{7})(?= |$)/,
    message:
      'git left a merge conflict here: keep one of the two sides, and remove the lines with <<<, === and >>>',
  },
  { pattern: /^＃/, message: 'a full-width ＃ begins no comment: write #', insert: () => '#' },
  {
    pattern: /^[^\s:：]+：[ \u3000]*/,
    message: 'a full-width colon ends no key: write ":" and a space',
    insert: (found) => found.replace(/：[ \u3000]*$/, ': '),
  },
  {
    pattern: /^[\w-]+:(?=[^\s:/])/,
    message: 'a space is missing after the colon',
    insert: (found) => `${found} `,
  },
  {
    pattern: /^[\w-]+ *=(?!=) */,
    message: 'a key ends with a colon, not with "=": write key: value',
    insert: (found) => found.replace(/ *= *$/, ': '),
  },
  {
    pattern: /^[\w-]+(?= |$)/,
    message: 'a colon is missing after this key: write key: value',
    insert: (found) => `${found}:`,
  },
];

/** `-name`, but no number and no line of dashes. */
const DASHED = /^-(?=[^\s\d.-])/;

export function findWords({ text, lines }: Reading): Slip[] {
  return lines.flatMap((line, index) => {
    if (isDashed(text, lines, index)) return [dashed(lines, index)];
    const key = line.entries.find(({ kind }) => kind === 'key');
    if (key !== undefined) return slipAt(text, line.offset + key.column - line.column, [BLANK_AFTER_COLON]);
    const { textAt } = line;
    return textAt !== undefined && isAmongKeys(lines, index) ? slipAt(text, textAt, KEY_RULES) : [];
  });
}

function slipAt(text: string, offset: number, rules: readonly Rule[]): Slip[] {
  const rest = restOf(text, offset);
  const rule = rules.find(({ pattern }) => pattern.test(rest));
  if (rule === undefined) return [];
  const [found = ''] = rule.pattern.exec(rest) ?? [];
  const insert = rule.insert?.(found);
  const { message } = rule;
  const isBlank = typeof message !== 'string';
  const slip = {
    offset: isBlank ? offset + found.indexOf(':') + 1 : offset,
    message: isBlank ? message(found) : message,
  };
  return [insert === undefined ? slip : { ...slip, edits: [{ offset, remove: found.length, insert }] }];
}

/** A key that begins with a dash; a text that does may be meant so, unless its neighbour does as well. */
function isDashed(text: string, lines: readonly Line[], index: number): boolean {
  const line = lines[index];
  const begins = (each: Line | undefined) => each !== undefined && DASHED.test(restOf(text, each.offset));
  if (line === undefined || !begins(line)) return false;
  if (line.entries.length > 0) return true;
  return [lines[index - 1], lines[index + 1]].some((each) => each?.column === line.column && begins(each));
}

/** Whether a key begins in the same column, in the same map. */
function isAmongKeys(lines: readonly Line[], index: number): boolean {
  const { column, offset, textAt = offset } = lines[index] as Line;
  const own = column + textAt - offset;
  const hasKey = (line: Line | undefined) =>
    line?.entries.some((entry) => entry.kind === 'key' && entry.column === own) ?? false;
  const below = nextWithin(lines, index, 1, own);
  if (below?.column === own && hasKey(below)) return true;
  return own === column && hasKey(nextWithin(lines, index, -1, own));
}

/** The nearest line, up or down, that is indented no further than this column. */
function nextWithin(lines: readonly Line[], index: number, step: 1 | -1, column: number): Line | undefined {
  let next = index + step;
  while ((lines[next]?.column ?? -1) > column) next += step;
  return lines[next];
}

/** The lines below move with what stands behind the dash. */
function dashed(lines: readonly Line[], index: number): Slip {
  const { offset, column } = lines[index] as Line;
  const below = lines.slice(index + 1);
  const end = below.findIndex((line) => line.column <= column);
  const moved = below.slice(0, end === -1 ? undefined : end);
  const edits: Edit[] = moved.map((line) => ({ offset: line.offset, remove: 0, insert: ' ' }));
  return {
    offset,
    message: 'a space is missing after the dash',
    edits: [{ offset: offset + 1, remove: 0, insert: ' ' }, ...edits],
  };
}
