/** A YAML file as plain data that knows where each of its values stands. */
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type Pair,
} from 'yaml';
import type { Place, Problem } from '../config.ts';
import type { Path } from '../path.ts';
import { findProblems, type YamlProblem } from './yaml-problems.ts';

/** YAML 1.2, core schema: dates, `no` and `off` stay texts; there are no tags. */
const PARSE_OPTIONS = {
  version: '1.2',
  schema: 'core',
  resolveKnownTags: false,
  stringKeys: true,
  prettyErrors: false,
} as const;

export class YamlSource {
  readonly file: string;
  /** JSON-like data, `null` for an empty file; undefined where the text cannot be read. */
  readonly data: unknown;
  private readonly text: string;
  private readonly document: Document;
  private readonly lines = new LineCounter();
  /** With any, `data` is there only where no more than a duplicate key is wrong. */
  readonly problems: readonly Problem[];

  /** Never throws. */
  constructor(file: string, text: string) {
    this.file = file;
    this.text = text;
    this.document = parseDocument(text, { ...PARSE_OPTIONS, lineCounter: this.lines });
    const { problems: found, canBeRead } = findProblems(this.document, text);
    if (canBeRead) this.data = this.dataOr(found);
    this.problems = found.map(({ offset, message }) => ({
      place: this.placeAt(offset),
      message,
      severity: 'error',
    }));
  }

  /** Of the key at `path`, of a list's item, or else of the nearest thing around it that is there. */
  placeOf(path: Path): Place {
    const key = this.pairAt(path)?.key;
    const node = key ?? this.nodeAt(path);
    return node === undefined && path.length > 0
      ? this.placeOf(path.slice(0, -1))
      : this.placeAt(startOf(node));
  }

  /** A scalar as it is written there; undefined for anything else. */
  writtenAt(path: Path): string | undefined {
    const node = this.resolved(this.nodeAt(path));
    return isScalar(node) ? node.source : undefined;
  }

  /**
   * Of a line and column (from 1) within the string at `path`. Exact for literal blocks and for one-line strings
   * without escapes; elsewhere the place of the string, since folding and escapes move what is inside.
   */
  placeInString(path: Path, line: number, column: number): Place {
    const node = this.nodeAt(path);
    if (!isScalar(node) || typeof node.value !== 'string' || !node.range) return this.placeOf(path);
    const [start, end] = node.range;
    const source = this.text.slice(start, end);
    if (node.type === 'BLOCK_LITERAL') {
      const indent = indentOf(source.slice(source.indexOf('\n') + 1)) - indentOf(node.value);
      const before = source.split('\n', line).join('\n').length + 1;
      return this.placeAt(start + before + indent + column - 1);
    }
    const quote = source.indexOf(node.value);
    return quote === -1 || line > 1 ? this.placeOf(path) : this.placeAt(start + quote + column - 1);
  }

  /** Undefined, with one more problem, where aliases multiply. */
  private dataOr(problems: YamlProblem[]): unknown {
    try {
      return this.document.toJS() as unknown;
    } catch {
      problems.push({ offset: 0, message: 'the aliases (*name) of this file multiply beyond any use' });
      return undefined;
    }
  }

  private placeAt(offset: number): Place {
    const { line, col } = this.lines.linePos(offset);
    return { file: this.file, line: Math.max(line, 1), column: Math.max(col, 1) };
  }

  private nodeAt(path: Path): unknown {
    return path.reduce<unknown>((parent, step) => {
      const node = this.resolved(parent);
      return isSeq(node) ? node.items[Number(step)] : (this.pairIn(node, step)?.value ?? undefined);
    }, this.document.contents ?? undefined);
  }

  private pairAt(path: Path): Pair | undefined {
    return path.length === 0 ? undefined : this.pairIn(this.nodeAt(path.slice(0, -1)), path.at(-1));
  }

  private pairIn(parent: unknown, step: unknown): Pair | undefined {
    const node = this.resolved(parent);
    if (!isMap(node)) return undefined;
    // The last of duplicates, as in `data`.
    return node.items.findLast(({ key }) => isScalar(key) && String(key.value) === String(step));
  }

  private resolved(node: unknown): unknown {
    return isAlias(node) ? node.resolve(this.document) : node;
  }
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

/** Leading spaces of the first line that is not blank. */
function indentOf(text: string): number {
  const line = text.split('\n').find((each) => each.trim() !== '') ?? '';
  return line.length - line.trimStart().length;
}
