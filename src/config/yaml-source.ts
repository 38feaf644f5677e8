/** Parses a YAML file to plain data with the place of each value; parse errors never quote the file, which may hold secrets. */
import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
} from 'yaml';
import type { Document, ErrorCode, Pair, YAMLError, YAMLMap } from 'yaml';
import type { Place, Problem } from './config.ts';
import type { Path } from './path.ts';

/** YAML 1.2 without tags: dates, `no` and `off` stay texts. */
const PARSE_OPTIONS = {
  version: '1.2',
  merge: true,
  resolveKnownTags: false,
  stringKeys: true,
  // Looked for by `findByNode`: the parser compares each key of a map with every other one.
  uniqueKeys: false,
  prettyErrors: false,
} as const;

const MOST_PROBLEMS = 10;

const QUOTE_IT = 'put the whole value in quotes';
const ALIAS = `a value that begins with * is read as a YAML alias: ${QUOTE_IT}`;
const TWICE = 'this key is here twice: keep one, or put both values under it';
const NO_MERGE = '<< merges a map that an anchor names, or a list of such: write <<: *name';
const ENDLESS = 'the aliases (*name) of this file contain themselves, or multiply beyond any use';

/** Replace the parser's messages, which quote the text, which may hold a password. Other codes are just "not valid YAML". */
const MESSAGES: Partial<Record<ErrorCode, string>> = {
  BAD_DQ_ESCAPE: 'not a valid escape in double quotes: write \\\\ for a backslash, or use single quotes',
  BAD_INDENT:
    'the indentation does not fit, or a bracket is not closed before this (a # outside of quotes begins a comment)',
  BAD_SCALAR_START: `a value cannot begin with this character: ${QUOTE_IT}`,
  BLOCK_AS_IMPLICIT_KEY: `a value that contains ": " is read as a map: ${QUOTE_IT}, or mend the indentation`,
  MISSING_CHAR: 'a quote, bracket or colon is missing before this',
  MULTILINE_IMPLICIT_KEY: 'a key must stand on one line: a colon is missing, or the indentation does not fit',
  MULTIPLE_DOCS: 'the file must hold one document only: remove the line ---',
  RESOURCE_EXHAUSTION: 'nested too deep',
  TAB_AS_INDENT: 'a tab cannot indent: use spaces',
  TAG_RESOLVE_FAILED: `YAML tags (!name) are not supported: if a value begins with !, ${QUOTE_IT}`,
  UNEXPECTED_TOKEN: 'unexpected text after the end of a value: quote the whole value, or check the brackets',
};

const WIDE_BLANK = 'a full-width blank is no space: use spaces';
const OTHER_BLANK = 'a no-break space, or another blank that looks like a space, is none: use spaces';

/** Causes of parse errors that are hard to see, looked for in the error's line. */
const CAUSES: readonly (readonly [sign: RegExp, message: string])[] = [
  [
    /^(?:<{7}|={7}|>{7})/,
    'git left a merge conflict here: keep one side, and remove the lines of <<<, === and >>>',
  ],
  [/(?<=^ *)\t/, 'a tab cannot indent: use spaces'],
  [/\u3000/, WIDE_BLANK],
  [/[\u00a0\u2000-\u200b\u202f\u205f]/, OTHER_BLANK],
  [/：/, 'a full-width colon ends no key: write ":" and a space'],
  [/\{[{%]/, `a value that begins with {{ or {% is read as a YAML map: ${QUOTE_IT}`],
];

/** What is under this key of a config is JSON to be sent, so its numbers and booleans are no texts. */
const JSON_KEY = 'body';
const NUMBER_OR_BOOLEAN = /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

interface Finding {
  /** In characters from the start of the file. */
  readonly offset: number;
  readonly message: string;
}

/** JSON-like data, with the place of each value in a file. */
export type PlacedData = Pick<YamlSource, 'data' | 'problems' | 'placeOf' | 'placeInString'>;

export class YamlSource {
  readonly file: string;
  /** JSON-like data; `null` for an empty file, undefined if there are problems. */
  readonly data: unknown;
  /** At most one per line and ten in all. */
  readonly problems: readonly Problem[];
  readonly #text: string;
  readonly #document: Document;
  readonly #lines = new LineCounter();

  /**
   * Never throws.
   * @param scalars `as written`: every scalar is a text, or null if it is empty, but for what is JSON to be sent
   */
  constructor(file: string, text: string, scalars: 'typed' | 'as written' = 'typed') {
    this.file = file;
    this.#text = text;
    const types =
      scalars === 'typed' ? { schema: 'core' } : { schema: 'failsafe', customTags: ['null' as const] };
    this.#document = parseDocument(text, { ...PARSE_OPTIONS, ...types, lineCounter: this.#lines });
    if (scalars === 'as written') typeJson(this.#document);
    const found = findProblems(this.#document, text);
    if (found.length === 0) this.data = this.#dataOr(found);
    this.problems = found.map(({ offset, message }) => ({
      place: this.#placeAt(offset),
      message,
      severity: 'error',
    }));
  }

  /** The place of the key or list item at `path`; if the file has none there, of the nearest parent. */
  placeOf(path: Path): Place {
    const pair = this.#pairAt(path);
    const node = pair ? pair.key : this.#document.getIn(path, true);
    if (isNode(node) || path.length === 0) return this.#placeAt(startOf(node));
    return this.placeOf(path.slice(0, -1));
  }

  /** Also one that stands in a map that is merged (`<<`); undefined: there is none, or its map is an alias. */
  #pairAt(path: Path): Pair | undefined {
    const outer = path.slice(0, -1);
    const map =
      outer.length === 0
        ? this.#document.contents
        : (this.#pairAt(outer)?.value ?? this.#document.getIn(outer, true));
    return isMap(map) ? pairIn(map, path.at(-1), this.#document) : undefined;
  }

  /**
   * The place of a line and column (from 1) within the string at `path`. Exact for literal blocks and for one-line strings
   * without escapes; otherwise the place of the string, since folding and escapes shift its characters.
   */
  placeInString(path: Path, line: number, column: number): Place {
    const node = this.#document.getIn(path, true);
    if (!isScalar(node) || typeof node.value !== 'string' || !node.range) return this.placeOf(path);
    const [start, end] = node.range;
    const source = this.#text.slice(start, end);
    if (node.type === 'BLOCK_LITERAL') {
      const indent = indentOf(source.slice(source.indexOf('\n') + 1)) - indentOf(node.value);
      const before = source.split('\n', line).join('\n').length + 1;
      return this.#placeAt(start + before + indent + column - 1);
    }
    const quote = source.indexOf(node.value);
    // A variable's value may be longer than its name in the file.
    const isBeyond = quote + column > source.length;
    return quote === -1 || line > 1 || isBeyond
      ? this.placeOf(path)
      : this.#placeAt(start + quote + column - 1);
  }

  /** What the file has at `outer`, as `data`, in which references to variables may be resolved. */
  within(outer: Path, data: unknown): PlacedData {
    return {
      data,
      problems: [],
      placeOf: (path) => this.placeOf([...outer, ...path]),
      placeInString: (path, line, column) => this.placeInString([...outer, ...path], line, column),
    };
  }

  /** @returns undefined, with a problem added, if the data cannot be written as JSON */
  #dataOr(problems: Finding[]): unknown {
    try {
      const data = this.#document.toJS() as unknown;
      JSON.stringify(data);
      return data;
    } catch {
      problems.push({ offset: 0, message: ENDLESS });
      return undefined;
    }
  }

  #placeAt(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.file, line: Math.max(line, 1), column: Math.max(col, 1) };
  }
}

function typeJson(document: Document): void {
  visit(document, {
    Pair(_key, { key, value }) {
      if (!isScalar(key) || key.value !== JSON_KEY || !isNode(value)) return;
      visit(isAlias(value) ? (value.resolve(document) ?? null) : value, {
        Scalar(place, scalar) {
          const isTyped =
            place !== 'key' && scalar.type === 'PLAIN' && NUMBER_OR_BOOLEAN.test(String(scalar.value));
          if (isTyped) scalar.value = JSON.parse(String(scalar.value));
        },
      });
    },
  });
}

function findProblems(document: Document, text: string): Finding[] {
  const errors = [...document.errors, ...document.warnings].map((error) => problemOf(error, text));
  const found = [...errors, ...findByNode(document)].sort((a, b) => a.offset - b.offset);
  const lines = found.map(({ offset }) => lineStart(text, offset));
  return found.filter((_, index) => lines[index] !== lines[index - 1]).slice(0, MOST_PROBLEMS);
}

function problemOf({ code, pos: [offset] }: YAMLError, text: string): Finding {
  const start = lineStart(text, offset);
  const [line = ''] = text.slice(start).split('\n', 1);
  const [sign, message] = CAUSES.find(([each]) => each.test(line)) ?? [];
  if (sign !== undefined && message !== undefined) return { offset: start + line.search(sign), message };
  return { offset, message: MESSAGES[code] ?? 'not valid YAML' };
}

function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** Keys that a map has twice, and unknown aliases and merges of no map, which the parser reports without their place. */
function findByNode(document: Document): Finding[] {
  const problems: Finding[] = [];
  visit(document, {
    Map(_key, { items }) {
      const seen = new Set<unknown>();
      for (const { key, value } of items) {
        const merged = isAlias(value) ? value.resolve(document) : value;
        if (isScalar(key) && key.source === '<<' && !isCollection(merged))
          problems.push({ offset: startOf(key), message: NO_MERGE });
        const name = isScalar(key) ? key.value : key;
        if (seen.has(name)) problems.push({ offset: startOf(key), message: TWICE });
        // Such a blank in front of a key is no indentation, but a part of the key.
        if (typeof name === 'string' && /^[^\S ]/.test(name))
          problems.push({
            offset: startOf(key),
            message: name.startsWith('\u3000') ? WIDE_BLANK : OTHER_BLANK,
          });
        seen.add(name);
      }
    },
    Alias(_key, alias) {
      if (alias.resolve(document) === undefined) problems.push({ offset: startOf(alias), message: ALIAS });
    },
  });
  return problems;
}

function pairIn(map: YAMLMap, name: unknown, document: Document): Pair | undefined {
  const own = map.items.find(({ key }) => isScalar(key) && key.value === name);
  if (own !== undefined) return own;
  const merged = map.items.filter(({ key }) => isScalar(key) && key.source === '<<');
  return merged
    .flatMap(({ value }) => (isSeq(value) ? value.items : [value]))
    .map((each) => (isAlias(each) ? each.resolve(document) : each))
    .map((each) => (isMap(each) ? pairIn(each, name, document) : undefined))
    .find((pair) => pair !== undefined);
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

/** Leading spaces of the first line that is not blank. */
function indentOf(text: string): number {
  const line = text.split('\n').find((each) => each.trim() !== '') ?? '';
  return line.length - line.trimStart().length;
}
