/** Blanks and signs at the beginning of lines that only look like YAML's own: what an input method types, and tabs. */
import { lineStartOf, restOf, type Reading } from './reading.ts';
import type { Slip } from './slip.ts';

/** Blanks that are none to YAML: full-width, no-break, and others of Unicode. */
export const BLANK = '[\\u3000\\u00a0\\u1680\\u2000-\\u200b\\u202f\\u205f]';

/** A key that follows. */
const KEY = '[^\\s:]+:(?: |$)';

/** A full-width blank is as wide as two others, and so is a tab in most files. */
const WIDE = /[\u3000\t]/g;

interface Rule {
  /** From the first sign of a line that is no space or tab, or from its beginning. */
  readonly pattern: RegExp;
  readonly insert: (found: string) => string;
  readonly message: (found: string) => string;
}

const RULES: readonly Rule[] = [
  {
    pattern: /^ *\t[ \t]*(?=[^ \t\r#])/,
    insert: asSpaces,
    message: () => `a tab cannot indent: use spaces`,
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
    message: () => 'this sign only looks like the dash that begins a list item: write "-" and a space',
  },
  {
    pattern: /^ *(?:- +)?[^\s"'{}[\],#:：]+: *(?:［ *\{|｛)[^]*: [^]*/,
    insert: (found) => found.replaceAll(/[［］｛｝]/g, (bracket) => ASCII_BRACKETS[bracket] ?? bracket),
    message: () => 'a full-width bracket is no bracket: write [ ] and { }',
  },
];

const ASCII_BRACKETS: Readonly<Record<string, string>> = { '［': '[', '］': ']', '｛': '{', '｝': '}' };

/** Before the dash or the key with which a line begins, and behind the dash. */
export function findBlanks({ text, lines }: Reading): Slip[] {
  return lines.flatMap((line) => {
    const start = lineStartOf(text, line.offset);
    const begin = text.startsWith('\ufeff', start) ? start + 1 : start;
    const rest = restOf(text, begin);
    const rule = RULES.find(({ pattern }) => pattern.test(rest));
    const [found = ''] = rule?.pattern.exec(rest) ?? [];
    // Of a text, they are a part.
    const isText = line.entries.length === 0 && !rest.startsWith('- ', found.length);
    return rule === undefined || isText ? [] : [slipOf(rule, found, begin)];
  });
}

function slipOf({ insert, message }: Rule, found: string, begin: number): Slip {
  const odd = Math.max(0, found.search(/[^ -~]/));
  return {
    offset: begin + odd,
    message: message(found),
    edits: [{ offset: begin, remove: found.length, insert: insert(found) }],
  };
}

function asSpaces(found: string): string {
  return found.replaceAll(WIDE, '  ').replaceAll(/[^ ]/g, ' ');
}

export function nameOf(found: string): string {
  if (found.includes('\u3000')) return 'a full-width blank';
  if (found.includes('\t')) return 'a tab';
  return found.includes('\u00a0') ? 'a no-break space' : 'a special blank of Unicode';
}
