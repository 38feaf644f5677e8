/** Parses a YAML file to plain data with the place of each value; parse errors never quote the file, which may hold secrets. */
import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import type { Alias, Document, ErrorCode, Node, Pair, YAMLError, YAMLMap } from 'yaml';
import type { Fault } from '../text/fault.ts';
import { isJsonObject, parseExactly } from '../text/json.ts';
import type { Place, Problem } from './config.ts';
import type { Path } from './path.ts';
import { fault } from './words.ts';

/** YAML 1.2 without tags: dates, `no` and `off` stay texts. */
const PARSE_OPTIONS = {
  version: '1.2',
  merge: true,
  resolveKnownTags: false,
  stringKeys: true,
  // `findByNode` looks for equal keys, since the parser would compare each key of a map with every other one.
  uniqueKeys: false,
  prettyErrors: false,
} as const;

const MOST_PROBLEMS = 10;

/** Each of thousands of routes may have an alias of the same anchor; aliases within aliases soon come to more. */
const MOST_ALIASES = 5000;

/** Replace the parser's messages, which quote the text, which may hold a password. Other codes are just "not valid YAML". */
const FAULTS: Partial<Record<ErrorCode, Fault>> = {
  BAD_ALIAS: fault('yaml.alias'),
  BAD_DQ_ESCAPE: fault('yaml.escape'),
  BAD_INDENT: fault('yaml.indent'),
  BAD_SCALAR_START: fault('yaml.scalar'),
  BLOCK_AS_IMPLICIT_KEY: fault('yaml.colon'),
  MISSING_CHAR: fault('yaml.missing'),
  MULTILINE_IMPLICIT_KEY: fault('yaml.long key'),
  MULTIPLE_DOCS: fault('yaml.documents'),
  RESOURCE_EXHAUSTION: fault('yaml.deep'),
  TAB_AS_INDENT: fault('yaml.tab'),
  TAG_RESOLVE_FAILED: fault('yaml.tag'),
  UNEXPECTED_TOKEN: fault('yaml.token'),
};

const LIKE_A_HYPHEN = /^[\u2010-\u2015\u2212ー－]\s/;

/** Causes of parse errors that are hard to see, looked for in the error's line. */
const CAUSES: readonly (readonly [sign: RegExp, what: Fault])[] = [
  [/^(?:<{7}|={7}|>{7})/, fault('yaml.conflict')],
  [/(?<=^ *)\t/, fault('yaml.tab')],
  [/[\u00a0\u2000-\u200b\u202f\u205f\u3000]/, fault('yaml.blank')],
  [/：/, fault('yaml.full-width colon')],
  [/(?<=[:,[{-] *)[［｛]|[］｝](?=[\s,\]}]*$)/, fault('yaml.full-width bracket')],
  [/[，、](?=\s*(?:[\w-]+:\s|["'{[]))/, fault('yaml.full-width comma')],
  [/(?<=\s)＃/, fault('yaml.full-width hash')],
  [/(?<=^\s*(?:- )?)\{%/, fault('yaml.liquid tag')],
  [/(?<=[:,[{-] *)\{[{%]/, fault('yaml.liquid')],
];

/** Whether it is the `body` of a hook, in whose JSON numbers and booleans are no texts. */
const isJsonToSend = ([section, , key, , own, ...within]: Path) =>
  section === 'channels' && key === 'hooks' && own === 'body' && within.length === 0;

const NUMBER_OR_BOOLEAN = /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

interface Finding {
  /** In characters from the start of the file. */
  readonly offset: number;
  readonly fault: Fault;
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
  readonly #meant: Meant;
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
    this.#meant = meantIn(this.#document);
    const found = findProblems(this.#document, text, this.#meant);
    const data = found.length === 0 ? this.#dataOr(found) : undefined;
    this.data = scalars === 'typed' ? data : this.#withJson(data, []);
    this.problems = found.map(({ offset, fault: what }) => ({
      place: this.#placeAt(offset),
      fault: what,
      severity: 'error',
    }));
  }

  /** The place of the key or list item at `path`; if the file has none there, of the nearest parent. */
  placeOf(path: Path): Place {
    const mark = path.length === 0 ? this.#document.contents : this.#markAt(path);
    if (isNode(mark) || path.length === 0) return this.#placeAt(startOf(mark));
    return this.placeOf(path.slice(0, -1));
  }

  /** The scalar at `path`, as the file has it, also where something else is wrong; undefined if there is none. */
  scalarAt(path: Path): unknown {
    const node = this.#nodeAt(path);
    return isScalar(node) ? node.value : undefined;
  }

  /** The key or list item at `path`; also one in a map that is merged (`<<`), or behind an alias. */
  #markAt(path: Path): unknown {
    const outer = this.#nodeAt(path.slice(0, -1));
    return isMap(outer) ? pairIn(outer, path.at(-1), this.#meant)?.key : itemIn(outer, path.at(-1));
  }

  #nodeAt(path: Path): unknown {
    const root = this.#document.contents;
    const within = (outer: unknown, name: unknown) =>
      isMap(outer) ? pairIn(outer, name, this.#meant)?.value : itemIn(outer, name);
    return path.reduce<unknown>((outer, name) => this.#meant(within(outer, name)), root);
  }

  /**
   * The place of a line and column (from 1) within the string at `path`, found by the word that stands there; or the place of the string
   * if the file spells that word differently, or has it there more or less often than the string.
   */
  placeInString(path: Path, line: number, column: number): Place {
    const node = this.#nodeAt(path);
    if (!isScalar(node) || typeof node.value !== 'string' || !node.range) return this.placeOf(path);
    const [start, end] = node.range;
    const begin = node.value.split('\n', line - 1).join('\n').length + (line > 1 ? 1 : 0) + column - 1;
    const [word = ''] = /^[^\s"'\\]+/.exec(node.value.slice(begin)) ?? [];
    const written = this.#text.slice(start, end).split(word);
    if (word === '' || written.length !== node.value.split(word).length) return this.placeOf(path);
    const before = node.value.slice(0, begin).split(word).length;
    return this.#placeAt(start + written.slice(0, before).join(word).length);
  }

  /** The part of the file at `outer`, with its data given as `data`, in which references to variables may be resolved. */
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
      const data = this.#document.toJS({ maxAliasCount: MOST_ALIASES }) as unknown;
      JSON.stringify(data);
      return data;
    } catch {
      problems.push({ offset: 0, fault: fault('yaml.endless') });
      return undefined;
    }
  }

  /** The data with numbers and booleans in what is JSON to be sent. Looks for each in the file, since quotes make it a text. */
  #withJson(data: unknown, path: Path, isWithin = false): unknown {
    const isJson = isWithin || isJsonToSend(path);
    if (Array.isArray(data)) return data.map((item, index) => this.#withJson(item, [...path, index], isJson));
    if (isJsonObject(data)) {
      const of = (key: string) => this.#withJson(data[key], [...path, key], isJson);
      return Object.fromEntries(Object.keys(data).map((key) => [key, of(key)]));
    }
    const node = isJson && NUMBER_OR_BOOLEAN.test(String(data)) ? this.#nodeAt(path) : undefined;
    return isScalar(node) && node.type === 'PLAIN' ? parseExactly(String(data)) : data;
  }

  #placeAt(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.file, line: Math.max(line, 1), column: Math.max(col, 1) };
  }
}

/** Resolves an alias. @returns the node that it stands for; undefined: there is none, or it contains the alias. Returns any other node as it is */
type Meant = (node: unknown) => unknown;

/** Looks through the document once, since the parser would do so for each alias. */
function meantIn(document: Document): Meant {
  const anchored = new Map<string, Node>();
  const meant = new Map<Alias, Node | undefined>();
  visit(document, {
    Node(_key, node, around) {
      if (isAlias(node))
        meant.set(node, isWithinItself(node, around) ? undefined : anchored.get(node.source));
      else if (node.anchor !== undefined) anchored.set(node.anchor, node);
    },
  });
  return (node) => (isAlias(node) ? meant.get(node) : node);
}

function isWithinItself({ source }: Alias, around: readonly unknown[]): boolean {
  return around.some((outer) => isNode(outer) && !isAlias(outer) && outer.anchor === source);
}

function findProblems(document: Document, text: string, meant: Meant): Finding[] {
  const errors = [...document.errors, ...document.warnings].map((error) => problemOf(error, text));
  const found = [...errors, ...findByNode(document, text, meant)].sort((a, b) => a.offset - b.offset);
  // A Liquid tag between keys causes further errors in what stands around it.
  const isTorn = found.some(({ fault: { code } }) => code === 'yaml.liquid tag');
  const own = isTorn ? found.filter(({ fault: { code } }) => code.startsWith('yaml.liquid')) : found;
  const lines = own.map(({ offset }) => lineStart(text, offset));
  return own.filter((_, index) => lines[index] !== lines[index - 1]).slice(0, MOST_PROBLEMS);
}

function problemOf({ code, pos: [offset] }: YAMLError, text: string): Finding {
  const start = lineStart(text, offset);
  const [line = ''] = text.slice(start).split('\n', 1);
  const [sign, cause] = CAUSES.find(([each]) => each.test(line)) ?? [];
  if (sign !== undefined && cause !== undefined) return { offset: start + line.search(sign), fault: cause };
  // A map that begins a line does not lack quotes: its indentation is wrong.
  const isOnNewLine = code === 'BLOCK_AS_IMPLICIT_KEY' && isFirstOfLine(text, offset);
  return { offset, fault: isOnNewLine ? fault('yaml.indent') : (FAULTS[code] ?? fault('yaml.invalid')) };
}

function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

function isFirstOfLine(text: string, offset: number): boolean {
  return text.slice(lineStart(text, offset), offset).trim() === '';
}

/** Finds equal keys, keys that begin with a blank that is no indentation, dashes for hyphens; and merges of no map and unknown aliases, for which the parser gives no place. */
function findByNode(document: Document, text: string, meant: Meant): Finding[] {
  const problems: Finding[] = [];
  const report = (node: unknown, what: Fault) => problems.push({ offset: startOf(node), fault: what });
  visit(document, {
    Scalar(_key, scalar) {
      const begin = startOf(scalar);
      if (LIKE_A_HYPHEN.test(text.slice(begin, begin + 2)) && isFirstOfLine(text, begin))
        report(scalar, fault('yaml.dash'));
    },
    Map(_key, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        const name = isScalar(key) ? key.value : key;
        if (seen.has(name)) report(key, fault('yaml.twice'));
        seen.add(name);
      }
    },
    Pair(_key, { key, value }) {
      if (isScalar(key) && /^[^\S ]/.test(String(key.value))) report(key, fault('yaml.blank'));
      const merged = isMerge(key) ? mergedIn(value, meant) : [];
      if (merged.some((each) => each !== undefined && !isMap(each))) report(key, fault('yaml.no merge'));
    },
    Alias(_key, alias, around) {
      if (meant(alias) === undefined)
        report(alias, fault(isWithinItself(alias, around) ? 'yaml.endless' : 'yaml.alias'));
    },
  });
  return problems;
}

function pairIn(map: YAMLMap, name: unknown, meant: Meant): Pair | undefined {
  const own = map.items.find(({ key }) => isScalar(key) && key.value === name);
  if (own !== undefined) return own;
  return map.items
    .flatMap(({ key, value }) => (isMerge(key) ? mergedIn(value, meant) : []))
    .map((each) => (isMap(each) ? pairIn(each, name, meant) : undefined))
    .find((pair) => pair !== undefined);
}

function itemIn(list: unknown, index: unknown): unknown {
  return isSeq(list) ? list.items[Number(index)] : undefined;
}

function isMerge(key: unknown): boolean {
  return isScalar(key) && key.source === '<<';
}

/** @returns the maps that are merged, if the value is valid; undefined in place of an unknown alias */
function mergedIn(value: unknown, meant: Meant): readonly unknown[] {
  const merged = meant(value);
  return (isSeq(merged) ? merged.items : [merged]).map(meant);
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}
