/** What is wrong with a YAML text: what the parser rejects, at its place, in words that quote nothing of the text. */
import { visit, type Document, type ErrorCode, type YAMLError } from 'yaml';

export interface YamlProblem {
  /** In the text. */
  readonly offset: number;
  readonly message: string;
}

const MOST_PROBLEMS = 10;

const QUOTE_IT = 'put the whole value in quotes';
const ALIAS = `a value that begins with * is read as a YAML alias: ${QUOTE_IT}`;

/** The parser's own messages quote the text, which may hold a password. Codes that are missing are just "not valid YAML". */
const MESSAGES: Partial<Record<ErrorCode, string>> = {
  BAD_DQ_ESCAPE: 'not a valid escape in double quotes: write \\\\ for a backslash, or use single quotes',
  BAD_INDENT:
    'the indentation does not fit, or a bracket is not closed before this (a # outside of quotes begins a comment)',
  BAD_SCALAR_START: `a value cannot begin with this character: ${QUOTE_IT}`,
  BLOCK_AS_IMPLICIT_KEY: `a value that contains ": " is read as a map: ${QUOTE_IT}, or mend the indentation`,
  BLOCK_IN_FLOW: 'an indented block cannot stand inside brackets',
  DUPLICATE_KEY: 'this key is here twice: keep one, or put both values under it',
  MISSING_CHAR: 'a quote, bracket or colon is missing before this',
  MULTILINE_IMPLICIT_KEY: 'a key must stand on one line: a colon is missing, or the indentation does not fit',
  MULTIPLE_DOCS: 'the file must hold one document only: remove the line ---',
  NON_STRING_KEY: 'a key must be text',
  RESOURCE_EXHAUSTION: 'nested too deep',
  TAB_AS_INDENT: 'a tab cannot indent: use spaces',
  TAG_RESOLVE_FAILED: `YAML tags (!name) are not supported: if a value begins with !, ${QUOTE_IT}`,
  UNEXPECTED_TOKEN: 'unexpected text after the end of a value: quote the whole value, or check the brackets',
};

/** What makes the parser reject a line and is hard to see. */
const CAUSES: readonly (readonly [sign: RegExp, message: string])[] = [
  [
    /^(?:<{7}|={7}|>{7})/,
    'git left a merge conflict here: keep one side, and remove the lines of <<<, === and >>>',
  ],
  [/(?<=^ *)\t/, 'a tab cannot indent: use spaces'],
  [/\u3000/, 'a full-width blank is no space: use spaces'],
  [/：/, 'a full-width colon ends no key: write ":" and a space'],
  [/\{[{%]/, `a value that begins with {{ or {% is read as a YAML map: ${QUOTE_IT}`],
];

interface Findings {
  /** In the order of the text, at most one a line and ten in all. */
  readonly problems: YamlProblem[];
  /** Nothing is wrong but a key that is there twice. */
  readonly canBeRead: boolean;
}

export function findProblems(document: Document, text: string): Findings {
  const errors = [...document.errors, ...document.warnings];
  const aliases = findBadAliases(document);
  const canBeRead = aliases.length === 0 && errors.every(({ code }) => code === 'DUPLICATE_KEY');
  const found = [...errors.map((error) => problemOf(error, text)), ...aliases];
  return { problems: firstOfEachLine(found, text), canBeRead };
}

function firstOfEachLine(found: YamlProblem[], text: string): YamlProblem[] {
  const byLine = new Map<number, YamlProblem>();
  for (const each of found.sort((a, b) => a.offset - b.offset)) {
    const line = lineStart(text, each.offset);
    if (!byLine.has(line)) byLine.set(line, each);
  }
  return [...byLine.values()].slice(0, MOST_PROBLEMS);
}

function problemOf({ code, pos: [offset] }: YAMLError, text: string): YamlProblem {
  const start = lineStart(text, offset);
  const [line = ''] = text.slice(start).split('\n', 1);
  const cause = CAUSES.find(([sign]) => code !== 'DUPLICATE_KEY' && sign.test(line));
  if (cause === undefined) return { offset, message: MESSAGES[code] ?? 'not valid YAML' };
  const [sign, message] = cause;
  return { offset: start + line.search(sign), message };
}

function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** An alias is resolved only when data is made of it. */
function findBadAliases(document: Document): YamlProblem[] {
  const problems: YamlProblem[] = [];
  visit(document, {
    Alias(_key, alias, ancestors) {
      const target = alias.resolve(document);
      const offset = alias.range?.[0] ?? 0;
      if (target === undefined) problems.push({ offset, message: ALIAS });
      else if (ancestors.includes(target))
        problems.push({ offset, message: 'this alias refers to what contains it' });
    },
  });
  return problems;
}
