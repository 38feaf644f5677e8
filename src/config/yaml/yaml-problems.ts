/** What is wrong with a YAML text, said so that its writer can mend it. */
import {
  isMap,
  isScalar,
  visit,
  type Alias,
  type Document,
  type ErrorCode,
  type Pair,
  type YAMLError,
} from 'yaml';
import { problem, type YamlProblem } from './reading.ts';

/** More could make resolving them slow; a config or template by hand needs a handful. */
const MAX_ALIASES = 100;

const QUOTE_IT = 'put the whole value in quotes';
const ALIAS = `a value that begins with * is read as a YAML alias: ${QUOTE_IT}`;
const BRACES = `a value that begins with {{ or {% is read as a YAML map: ${QUOTE_IT}`;

/** Problems show the more lines below an unclosed bracket, the less they explain. */
const MAX_PROBLEMS = 10;

/**
 * The library's own messages quote the text, which may hold a password; these never do.
 * A code that is not here is said as "not valid YAML".
 */
const MESSAGES: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: ALIAS,
  BAD_COLLECTION_TYPE: 'this tag does not fit its value',
  BAD_DIRECTIVE: 'not a valid YAML directive',
  BAD_DQ_ESCAPE: 'not a valid escape in double quotes: write \\\\ for a backslash, or use single quotes',
  BAD_INDENT: 'the indentation does not fit, or a bracket is not closed before this',
  BAD_SCALAR_START: `a value cannot begin with this character: ${QUOTE_IT}`,
  BLOCK_AS_IMPLICIT_KEY: `a value that contains ": " is read as a map: ${QUOTE_IT}`,
  BLOCK_IN_FLOW: 'an indented block cannot stand inside brackets',
  MISSING_CHAR: 'a quote, bracket or colon is missing before this',
  MULTILINE_IMPLICIT_KEY: 'a key must stand on one line: a colon is missing, or the indentation does not fit',
  MULTIPLE_DOCS: 'the file must hold one document only: remove the line ---',
  NON_STRING_KEY: 'a key must be text',
  RESOURCE_EXHAUSTION: 'nested too deep',
  TAB_AS_INDENT: 'a tab cannot indent: use spaces',
  TAG_RESOLVE_FAILED: `YAML tags (!name) are not supported: if a value begins with !, ${QUOTE_IT}`,
  UNEXPECTED_TOKEN: `unexpected text after the end of a value: quote the whole value, or check the brackets`,
};

/**
 * What the parser finds wrong with a text, the most telling first.
 * @param placeOf an offset as a reader finds it
 */
export function parserProblems(
  document: Document,
  text: string,
  placeOf: (offset: number) => string,
): YamlProblem[] {
  const braces = findBraceKeys(document, text).map((offset) => problem(offset, BRACES));
  const errors = [...document.errors, ...document.warnings].map((error) =>
    error.code === 'DUPLICATE_KEY' ? duplicateKey(document, error, placeOf) : syntaxProblem(error, text),
  );
  return [...braces, ...errors, ...findBadAliases(document)];
}

function syntaxProblem(error: YAMLError, text: string): YamlProblem {
  const [offset] = error.pos;
  if (error.code === 'BAD_SCALAR_START' && text[offset - 1] === '{') return problem(offset - 1, BRACES);
  return problem(offset, MESSAGES[error.code] ?? 'not valid YAML');
}

/** At the second place, naming the first; the last one counts. */
function duplicateKey(
  document: Document,
  { pos: [offset] }: YAMLError,
  placeOf: (offset: number) => string,
): YamlProblem {
  const first = firstOfSameKey(document, offset);
  const message =
    first === undefined
      ? 'this key is here twice'
      : `this key is here twice, first in ${placeOf(first)}: keep one, or put both values under it`;
  return { offset, message, edits: [] };
}

function firstOfSameKey(document: Document, offset: number): number | undefined {
  let first: number | undefined;
  visit(document, {
    Map(_key, { items }) {
      const second = items.find((pair) => keyOffset(pair) === offset);
      if (second === undefined) return undefined;
      first = keyOffset(items.find((pair) => keyName(pair) === keyName(second)));
      return visit.BREAK;
    },
  });
  return first;
}

function keyOffset(pair: Pair | undefined): number | undefined {
  return isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
}

function keyName({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : '';
}

/** `{{ x }}` without quotes is a map whose key is a map: valid YAML, never meant. */
function findBraceKeys(document: Document, text: string): number[] {
  const offsets: number[] = [];
  visit(document, {
    Map(_key, { flow, items, range }) {
      const offset = range?.[0] ?? 0;
      const hasBraceKey =
        flow === true && text.startsWith('{{', offset) && items.some(({ key }) => isMap(key));
      if (hasBraceKey) offsets.push(offset);
      return hasBraceKey ? visit.SKIP : undefined;
    },
  });
  return offsets;
}

function findBadAliases(document: Document): YamlProblem[] {
  const aliases: { node: Alias; ancestors: readonly unknown[] }[] = [];
  visit(document, {
    Alias(_key, node, ancestors) {
      aliases.push({ node, ancestors });
      return aliases.length > MAX_ALIASES ? visit.BREAK : undefined;
    },
  });
  if (aliases.length > MAX_ALIASES) return [problem(0, `more than ${MAX_ALIASES} aliases (*name)`)];
  return aliases.flatMap(({ node, ancestors }) => badAlias(document, node, ancestors));
}

function badAlias(document: Document, node: Alias, ancestors: readonly unknown[]): YamlProblem[] {
  const target = node.resolve(document);
  const offset = node.range?.[0] ?? 0;
  if (!target) return [problem(offset, ALIAS)];
  return ancestors.includes(target) ? [problem(offset, 'this alias refers to what contains it')] : [];
}

/** In the order of the text; what is said second of a line is mostly a consequence of the first. */
export function firstOfEachLine(problems: readonly YamlProblem[], text: string): YamlProblem[] {
  const byLine = new Map<number, YamlProblem>();
  for (const each of problems) {
    const lineBreak = text.lastIndexOf('\n', each.offset - 1);
    if (!byLine.has(lineBreak)) byLine.set(lineBreak, each);
  }
  return [...byLine.values()].sort((a, b) => a.offset - b.offset).slice(0, MAX_PROBLEMS);
}
