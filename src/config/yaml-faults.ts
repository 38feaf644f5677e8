/** What is wrong with a YAML text, said so that its writer can mend it. */
import { isMap, visit, type Alias, type Document, type ErrorCode, type YAMLError } from 'yaml';

/** A fault and where in the text it stands. */
export interface YamlFault {
  readonly offset: number;
  readonly message: string;
  /** The rest of the file can be read all the same. */
  readonly isHarmless: boolean;
}

/** More could make resolving them slow; a config or template by hand needs a handful. */
const MAX_ALIASES = 100;

const QUOTE_IT = 'put the whole value in quotes';
const BRACES = `a value that begins with {{ or {% is read as a YAML map: ${QUOTE_IT}`;
const COMMENT = `a value that begins with # is read as a comment: ${QUOTE_IT}`;

/** Faults show the more lines below an unclosed bracket, the less they explain. */
const MAX_FAULTS = 10;

/** How far above its effect a swallowed bracket is looked for, in characters. */
const SWALLOWED_WITHIN = 200;

const UNCLOSED: ReadonlySet<ErrorCode> = new Set(['BAD_INDENT', 'MISSING_CHAR', 'BLOCK_IN_FLOW']);

/**
 * The library's own messages quote the text, which may hold a password; these never do.
 * A code that is not here is said as "not valid YAML".
 */
const MESSAGES: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: 'not a valid alias',
  BAD_COLLECTION_TYPE: 'this tag does not fit its value',
  BAD_DIRECTIVE: 'not a valid YAML directive',
  BAD_DQ_ESCAPE: 'not a valid escape in double quotes: write \\\\ for a backslash, or use single quotes',
  BAD_INDENT: 'the indentation does not fit, or a bracket is not closed before this',
  BAD_SCALAR_START: `a value cannot begin with this character: ${QUOTE_IT}`,
  BLOCK_AS_IMPLICIT_KEY: `a value that contains ": " is read as a map: ${QUOTE_IT}`,
  BLOCK_IN_FLOW: 'an indented block cannot stand inside brackets',
  DUPLICATE_KEY: 'this key is here twice',
  MISSING_CHAR: 'a quote, bracket or colon is missing before this',
  MULTILINE_IMPLICIT_KEY: 'a key must stand on one line: a colon is missing, or the indentation does not fit',
  MULTIPLE_DOCS: 'the file must hold one document only: remove the line ---',
  NON_STRING_KEY: 'a key must be text',
  RESOURCE_EXHAUSTION: 'nested too deep',
  TAB_AS_INDENT: 'a tab cannot indent: use spaces',
  TAG_RESOLVE_FAILED: `YAML tags (!name) are not supported: if a value begins with !, ${QUOTE_IT}`,
  UNEXPECTED_TOKEN: `unexpected text after the end of a value: quote the whole value, or check the brackets`,
};

/** Every fault of a parsed text, each line's first, in order. */
export function faultsOf(document: Document, text: string): YamlFault[] {
  const braces = findBraceKeys(document).map((offset) => fault(offset, BRACES));
  const errors = [...document.errors, ...document.warnings].map((error) => syntaxFault(error, text));
  return firstOfEachLine([...braces, ...errors, ...findBadAliases(document)], text);
}

export function fault(offset: number, message: string): YamlFault {
  return { offset, message, isHarmless: false };
}

function syntaxFault(error: YAMLError, text: string): YamlFault {
  const [offset] = error.pos;
  if (error.code === 'BAD_SCALAR_START' && text[offset - 1] === '{') return fault(offset - 1, BRACES);
  const comment = UNCLOSED.has(error.code) ? findSwallowedBracket(text, offset) : undefined;
  if (comment !== undefined) return fault(comment, COMMENT);
  return {
    offset,
    message: MESSAGES[error.code] ?? 'not valid YAML',
    isHarmless: error.code === 'DUPLICATE_KEY',
  };
}

/** In `{ slack: #ops }` the closing bracket is part of a comment; the fault shows only lines below. */
function findSwallowedBracket(text: string, offset: number): number | undefined {
  const start = Math.max(0, offset - SWALLOWED_WITHIN);
  const found = [...text.slice(start, offset).matchAll(/[[{,:][ \t]+#(?=[^\n]*[\]}])/g)].at(-1);
  return found && start + found.index + found[0].length - 1;
}

/** `{{ x }}` without quotes is a map whose key is a map: valid YAML, never meant. */
function findBraceKeys(document: Document): number[] {
  const offsets: number[] = [];
  visit(document, {
    Map(_key, node) {
      const hasBraceKey = node.flow === true && node.items.some(({ key }) => isMap(key) && key.flow === true);
      if (hasBraceKey) offsets.push(node.range?.[0] ?? 0);
      return hasBraceKey ? visit.SKIP : undefined;
    },
  });
  return offsets;
}

function findBadAliases(document: Document): YamlFault[] {
  const aliases: { node: Alias; ancestors: readonly unknown[] }[] = [];
  visit(document, {
    Alias(_key, node, ancestors) {
      aliases.push({ node, ancestors });
      return aliases.length > MAX_ALIASES ? visit.BREAK : undefined;
    },
  });
  if (aliases.length > MAX_ALIASES) return [fault(0, `more than ${MAX_ALIASES} aliases (*name)`)];
  return aliases.flatMap(({ node, ancestors }) => badAlias(document, node, ancestors));
}

function badAlias(document: Document, node: Alias, ancestors: readonly unknown[]): YamlFault[] {
  const target = node.resolve(document);
  const offset = node.range?.[0] ?? 0;
  if (!target) return [fault(offset, `a value that begins with * is read as a YAML alias: ${QUOTE_IT}`)];
  return ancestors.includes(target) ? [fault(offset, 'this alias refers to what contains it')] : [];
}

/** What follows on the same line is mostly a consequence; braces come first because they explain most. */
function firstOfEachLine(faults: readonly YamlFault[], text: string): YamlFault[] {
  const byLine = new Map<number, YamlFault>();
  for (const each of faults) {
    const lineBreak = text.lastIndexOf('\n', each.offset - 1);
    if (!byLine.has(lineBreak)) byLine.set(lineBreak, each);
  }
  return [...byLine.values()].sort((a, b) => a.offset - b.offset).slice(0, MAX_FAULTS);
}
