/** A YAML file as plain data that knows where each of its values stands. */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type Pair,
  type Scalar,
} from 'yaml';
import type { Place, Problem } from '../config.ts';
import type { Path } from '../path.ts';
import { firstOfEachLine, parserProblems } from './yaml-problems.ts';
import { mendText, type MendedText } from './mend.ts';
import { type Mended, problem, type YamlProblem } from './reading.ts';

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
  /** As it is parsed; places are told in the text as it was written. */
  private readonly mended: Mended;
  private readonly document: Document;
  /** Of the text as it was written. */
  private readonly lines: LineCounter;
  private readonly problems: readonly Problem[];

  private constructor(file: string, text: string) {
    const mending = mendText(text);
    this.file = file;
    this.mended = mending.mended;
    this.lines = linesIn(text);
    this.document = parseDocument(this.mended.text, PARSE_OPTIONS);
    const found = this.allProblems(mending);
    const canBeRead = found.every(({ edits }) => edits !== undefined);
    const { data, excess = [] }: Resolved = canBeRead ? resolve(this.document) : {};
    this.data = data;
    this.problems = [...firstOfEachLine(found, text), ...excess].map(({ offset, message }) => {
      return { place: { file, ...this.positionOf(offset) }, message, severity: 'error' };
    });
  }

  /**
   * Never throws. With problems, `data` is there only where they leave the rest readable: a duplicate key, or one of
   * which it is clear what was meant.
   * YAML 1.2, core schema: dates, `no` and `off` stay strings; tags, cyclic and exponential aliases are refused.
   */
  static parse(file: string, text: string): { source: YamlSource; problems: readonly Problem[] } {
    const source = new YamlSource(file, text);
    return { source, problems: source.problems };
  }

  /** Of the value at `path`, or of the nearest that is there. An empty value stands where its key stands. */
  placeOf(path: Path): Place {
    return this.placeAt(this.offsetOf(path));
  }

  /** Of the key at `path`; of the value where there is no such key (a list's item). */
  placeOfKey(path: Path): Place {
    const pair = this.pairAt(path);
    return pair ? this.placeAt(startOf(pair.key)) : this.placeOf(path);
  }

  /**
   * Of a line and column (from 1) within the string at `path`. Exact for literal blocks and for one-line strings
   * without escapes; elsewhere the place of the string, since folding and escapes move what is inside.
   */
  placeInString(path: Path, line: number, column: number): Place {
    const node = this.nodeAt(path);
    if (!isScalar(node) || typeof node.value !== 'string' || !node.range) return this.placeOf(path);
    const source = this.mended.text.slice(node.range[0], node.range[1]);
    if (node.type === 'BLOCK_LITERAL') {
      const indent = indentOf(source.slice(source.indexOf('\n') + 1)) - indentOf(node.value);
      const start = source.split('\n', line).join('\n').length + 1;
      return this.placeAt(node.range[0] + start + indent + column - 1);
    }
    const quote = source.indexOf(node.value);
    return quote === -1 || line > 1 ? this.placeOf(path) : this.placeAt(node.range[0] + quote + column - 1);
  }

  /** What follows a problem of which it is not clear what was meant is mostly a consequence of it. */
  private allProblems({ problems, mended, mendedTo }: MendedText): YamlProblem[] {
    const placeOf = (offset: number) => {
      const { line, column } = this.positionOf(mended.origin(offset));
      return `line ${line}, column ${column}`;
    };
    const found = parserProblems(this.document, mended.text, placeOf).map((each) => ({
      ...each,
      offset: mended.origin(each.offset),
    }));
    return [...problems, ...found.filter(({ offset }) => offset <= mendedTo)];
  }

  private placeAt(offset: number): Place {
    return { file: this.file, ...this.positionOf(this.mended.origin(offset)) };
  }

  /** @param offset in the text as it was written */
  private positionOf(offset: number): { line: number; column: number } {
    const { line, col } = this.lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }

  private offsetOf(path: Path): number {
    const node = this.nodeAt(path);
    const pair = this.pairAt(path);
    if (pair && isEmpty(node)) return startOf(pair.key);
    if (node !== undefined) return startOf(node);
    return path.length === 0 ? 0 : this.offsetOf(path.slice(0, -1));
  }

  private nodeAt(path: Path): unknown {
    return path.reduce<unknown>(
      (node, step) => this.childOf(node, step),
      this.document.contents ?? undefined,
    );
  }

  private childOf(parent: unknown, step: string | number): unknown {
    const node = this.resolved(parent);
    if (isSeq(node)) return node.items[Number(step)];
    return this.pairIn(node, step)?.value ?? undefined;
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

function linesIn(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (const { index } of text.matchAll(/\n/g)) lines.addNewLine(index + 1);
  return lines;
}

interface Resolved {
  readonly data?: unknown;
  readonly excess?: readonly YamlProblem[];
}

function resolve(document: Document): Resolved {
  try {
    return { data: document.toJS() as unknown };
  } catch {
    return { excess: [problem(0, 'the aliases (*name) of this file multiply beyond any use')] };
  }
}

function startOf(node: unknown): number {
  return (node as Scalar | undefined)?.range?.[0] ?? 0;
}

function isEmpty(node: unknown): boolean {
  return node === undefined || (isScalar(node) && node.value === null && node.source === '');
}

/** Leading spaces of the first line that is not blank. */
function indentOf(text: string): number {
  const line = text.split('\n').find((each) => each.trim() !== '') ?? '';
  return line.length - line.trimStart().length;
}
