/** Finds the problems in the writing of a YAML text, each with its likely cause, and reads on as if they were mended. */
import { findBrackets } from './brackets.ts';
import { findIndentation } from './indentation.ts';
import { nestedTooDeep } from './nesting.ts';
import {
  readingOf,
  type Reading,
  Mended,
  type YamlProblem,
  lineStartOf,
  restOf,
  type Line,
  type Edit,
} from './reading.ts';

export interface MendedText {
  /** In order, at their places in the text as it was written. */
  readonly problems: readonly YamlProblem[];
  readonly mended: Mended;
  /** The text is only mended up to here; where it is as a whole, its length. */
  readonly mendedTo: number;
}

/** Each looks at what the ones before it have mended: what a line begins with decides what it is. */
const PASSES: readonly ((reading: Reading) => YamlProblem[])[] = [
  findBlanks,
  findBlanks,
  findWords,
  findBrackets,
  findIndentation,
];

export function mendText(text: string): MendedText {
  let mended = new Mended(text);
  let reading = readingOf(text);
  const tooDeep = nestedTooDeep(reading);
  // Nothing of it is parsed.
  if (tooDeep !== undefined) return { problems: [tooDeep], mended: new Mended(''), mendedTo: tooDeep.offset };
  const found: YamlProblem[] = [];
  for (const pass of PASSES) {
    const problems = pass(reading);
    if (problems.length === 0) continue;
    const before = mended;
    found.push(...problems.map((problem) => ({ ...problem, offset: before.origin(problem.offset) })));
    mended = before.with(problems.flatMap(({ edits = [] }) => edits));
    reading = readingOf(mended.text);
  }
  found.sort((one, other) => one.offset - other.offset);
  const mendedTo = found.find(({ edits }) => edits === undefined)?.offset ?? text.length;
  return { problems: found.filter(({ offset }) => offset <= mendedTo), mended, mendedTo };
}

/** Blanks that are none to YAML: full-width, no-break, and others of Unicode. */
const BLANK = '[\\u3000\\u00a0\\u1680\\u2000-\\u200b\\u202f\\u205f]';

/** A key that follows. */
const KEY = '[^\\s:]+:(?: |$)';

/** A full-width blank is as wide as two others, and so is a tab in most files. */
const WIDE = /[\u3000\t]/g;

interface Rule {
  readonly pattern: RegExp;
  readonly message: string | ((found: string) => string);
  /** What the pattern found gives way to; undefined: that cannot be told. */
  readonly insert?: (found: string) => string;
}

/** Their patterns begin where the line does. */
const BLANK_RULES: readonly Rule[] = [
  {
    pattern: /^ *\t[ \t]*(?=[^ \t\r#])/,
    insert: asSpaces,
    message: 'a tab cannot indent: use spaces',
  },
  {
    pattern: new RegExp(`^[ \\t]*${BLANK}(?:[ \\t]|${BLANK})*(?=\\S)`),
    insert: asSpaces,
    message: (found) => `${nameOf(found)} cannot indent: use spaces`,
  },
  {
    pattern: new RegExp(`^ *-(?: *\\t[ \\t]*(?=${KEY})|${BLANK}(?: |${BLANK})*)`),
    insert: (found) => `${found.slice(0, found.indexOf('-'))}- `,
    message: (found) => `${nameOf(found)} stands behind the dash: use a space`,
  },
  {
    pattern: new RegExp(`^ *[－—–−](?: |${BLANK})+(?=${KEY})`),
    insert: (found) => found.replace(/\S+\s*$/, '- '),
    message: 'this sign only looks like the dash that begins a list item: write "-" and a space',
  },
  {
    pattern: /^ *(?:- +)?[^\s"'{}[\],#:：]+: *(?:［ *\{|｛)[^]*: [^]*/,
    insert: (found) => found.replaceAll(/[［］｛｝]/g, (bracket) => ASCII_BRACKETS[bracket] ?? bracket),
    message: 'a full-width bracket is no bracket: write [ ] and { }',
  },
];

const ASCII_BRACKETS: Readonly<Record<string, string>> = { '［': '[', '］': ']', '｛': '{', '｝': '}' };

/** Before the dash or the key with which a line begins, and behind the dash. */
function findBlanks({ text, lines }: Reading): YamlProblem[] {
  return lines.flatMap((line) => {
    const start = lineStartOf(text, line.offset);
    const begin = text.startsWith('\ufeff', start) ? start + 1 : start;
    const rest = restOf(text, begin);
    const rule = BLANK_RULES.find(({ pattern }) => pattern.test(rest));
    const [found = ''] = rule?.pattern.exec(rest) ?? [];
    // Of a text, they are a part.
    const isText = line.entries.length === 0 && !rest.startsWith('- ', found.length);
    if (rule === undefined || isText) return [];
    return [problemOf(rule, found, begin, Math.max(0, found.search(/[^ -~]/)))];
  });
}

/** @param begin of what was found. @param at the sign in it that is wrong */
function problemOf({ insert, message }: Rule, found: string, begin: number, at: number): YamlProblem {
  const problem = { offset: begin + at, message: typeof message === 'string' ? message : message(found) };
  if (insert === undefined) return problem;
  return { ...problem, edits: [{ offset: begin, remove: found.length, insert: insert(found) }] };
}

function asSpaces(found: string): string {
  return found.replaceAll(WIDE, '  ').replaceAll(/[^ ]/g, ' ');
}

function nameOf(found: string): string {
  if (found.includes('\u3000')) return 'a full-width blank';
  if (found.includes('\t')) return 'a tab';
  return found.includes('\u00a0') ? 'a no-break space' : 'a special blank of Unicode';
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

function findWords({ text, lines }: Reading): YamlProblem[] {
  return lines.flatMap((line, index) => {
    if (isDashed(text, lines, index)) return [dashed(lines, index)];
    const key = line.entries.find(({ kind }) => kind === 'key');
    if (key !== undefined)
      return problemAt(text, line.offset + key.column - line.column, [BLANK_AFTER_COLON]);
    const { textAt } = line;
    return textAt !== undefined && isAmongKeys(lines, index) ? problemAt(text, textAt, KEY_RULES) : [];
  });
}

function problemAt(text: string, offset: number, rules: readonly Rule[]): YamlProblem[] {
  const rest = restOf(text, offset);
  const rule = rules.find(({ pattern }) => pattern.test(rest));
  const [found] = rule?.pattern.exec(rest) ?? [];
  if (rule === undefined || found === undefined) return [];
  return [problemOf(rule, found, offset, rule === BLANK_AFTER_COLON ? found.indexOf(':') + 1 : 0)];
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
function dashed(lines: readonly Line[], index: number): YamlProblem {
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
