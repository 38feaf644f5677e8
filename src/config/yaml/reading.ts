/** A YAML text as its problems are looked for in it: its tokens, the lines that its writer sees, and edits that mend it. */
import { CST, Lexer } from 'yaml';

export interface Reading {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly lines: readonly Line[];
}

export function readingOf(text: string): Reading {
  const tokens = tokensOf(text);
  const reader = new LineReader(text);
  for (const token of tokens) reader.read(token);
  return { text, tokens, lines: reader.lines };
}

/** From `offset` to the end of its line. */
export function restOf(text: string, offset: number): string {
  const end = text.indexOf('\n', offset);
  return text.slice(offset, end === -1 ? undefined : end).replace(/\r$/, '');
}

export function lineStartOf(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Of `offset`, from 1. */
export function lineNumberOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

type TokenType = NonNullable<ReturnType<typeof CST.tokenType>>;

export interface Token {
  /** `text` is a plain scalar, `block-text` what stands below `|` or `>`. */
  readonly type: TokenType | 'text' | 'block-text';
  readonly source: string;
  readonly offset: number;
  /** How many brackets are open around it. */
  readonly depth: number;
}

export const isOpening = ({ type }: Token) => /^flow-(?:map|seq)-start$/.test(type);
export const isClosing = ({ type }: Token) => /^flow-(?:map|seq)-end$/.test(type);
export const isQuoted = ({ type }: Token) => type.endsWith('-quoted-scalar');
/** Blanks, line ends and comments. */
export const isFilling = ({ type }: Token) => /^(?:space|newline|comment|byte-order-mark)$/.test(type);

/** They stand for something in the lexer's output, and for nothing in the text. */
const MARKERS: ReadonlySet<string> = new Set([CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]);

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let offset = 0;
  let depth = 0;
  let scalar: 'text' | 'block-text' = 'text';
  let isScalar = false;
  for (const source of new Lexer().lex(text)) {
    const type: Token['type'] = isScalar ? scalar : (CST.tokenType(source) ?? 'text');
    if (type === 'block-scalar-header') scalar = 'block-text';
    else if (isScalar) scalar = 'text';
    isScalar = type === 'scalar';
    if (type === 'flow-error-end') depth = 0;
    const token = { type, source, offset, depth };
    if (isClosing(token)) token.depth = depth = Math.max(0, depth - 1);
    if (!MARKERS.has(source) || type === 'flow-error-end') tokens.push(token);
    if (isOpening(token)) depth += 1;
    if (!MARKERS.has(source)) offset += source.length;
  }
  return tokens;
}

export function endOf({ offset, source, type }: Token): number {
  return type === 'flow-error-end' ? offset : offset + source.length;
}

/** A key or a list item that begins on a line. */
export interface Entry {
  readonly kind: 'key' | 'item';
  /** From 0. */
  readonly column: number;
}

/** A line outside of brackets, quotes and literal blocks, within which columns mean nothing. */
export interface Line {
  /** Of its first character that is no space. */
  readonly offset: number;
  /** From 0. */
  readonly column: number;
  /** From the outermost to the innermost. */
  readonly entries: Entry[];
  /** Where what stands on it that is no key begins: a value, or more of the text above. */
  textAt: number | undefined;
  /** What its last entry holds is still to come. */
  opens: boolean;
  /** It begins with more of a text that began above. */
  readonly isContinuation: boolean;
}

/** With which a value begins that is no plain scalar. */
const VALUE = /^(?:alias|block-scalar-header|.+-quoted-scalar|flow-(?:map|seq)-start)$/;

class LineReader {
  readonly lines: Line[] = [];
  private readonly text: string;
  private isAtStart = true;
  /** Of an anchor or tag, with which a key or item then begins. */
  private propertyAt: number | undefined;

  constructor(text: string) {
    this.text = text;
  }

  read({ type, source, offset, depth }: Token): void {
    if (depth > 0) return;
    if (type === 'newline') this.endLine();
    else if (type === 'anchor' || type === 'tag') this.addProperty(offset);
    else if (type === 'seq-item-ind') this.addEntry('item', offset);
    else if (type === 'map-value-ind') this.endKey();
    else if (type === 'text') this.addLines(source, offset);
    else if (VALUE.test(type)) this.addText(offset);
  }

  private endLine(): void {
    this.isAtStart = true;
    this.propertyAt = undefined;
  }

  private addProperty(offset: number): void {
    this.lineAt(offset);
    this.propertyAt ??= offset;
  }

  /** A plain scalar may go on over several lines, the last of which may turn out to be a key. */
  private addLines(source: string, offset: number): void {
    this.addText(offset);
    for (const { index, 0: found } of source.matchAll(/\n[ \t]*(?=[^ \t\r\n])/g)) {
      this.isAtStart = true;
      this.addText(offset + index + found.length, true);
    }
  }

  private addText(offset: number, isContinuation = false): void {
    const line = this.lineAt(offset, isContinuation);
    line.textAt ??= this.propertyAt ?? offset;
    line.opens = false;
    this.propertyAt = undefined;
  }

  private addEntry(kind: Entry['kind'], offset: number): void {
    const line = this.lineAt(offset);
    line.entries.push({ kind, column: this.columnOf(offset) });
    line.opens = true;
  }

  /** What has been taken for a text was a key. */
  private endKey(): void {
    const line = this.lines.at(-1);
    if (this.isAtStart || line?.textAt === undefined) return;
    this.addEntry('key', line.textAt);
    line.textAt = undefined;
  }

  private lineAt(offset: number, isContinuation = false): Line {
    const known = this.lines.at(-1);
    if (known !== undefined && !this.isAtStart) return known;
    this.isAtStart = false;
    const column = this.columnOf(offset);
    const line = { offset, column, entries: [], textAt: undefined, opens: false, isContinuation };
    this.lines.push(line);
    return line;
  }

  private columnOf(offset: number): number {
    const start = lineStartOf(this.text, offset);
    return offset - start - (this.text.startsWith('\ufeff', start) ? 1 : 0);
  }
}

/** `remove` characters at `offset` give way to `insert`. */
export interface Edit {
  readonly offset: number;
  readonly remove: number;
  readonly insert: string;
}

export interface YamlProblem {
  readonly offset: number;
  /** What is wrong and what to do; never quotes the text, which may hold a password. */
  readonly message: string;
  /** What makes the text what was meant, in order; undefined: that cannot be told, nor can what stands behind it. */
  readonly edits?: readonly Edit[];
}

/** Of which it cannot be told what was meant. */
export function problem(offset: number, message: string): YamlProblem {
  return { offset, message };
}

/** A text with its problems mended, so that the rest of it can be read. */
export class Mended {
  readonly text: string;
  private readonly edits: readonly Edit[];
  private readonly before: Mended | undefined;

  constructor(text: string, edits: readonly Edit[] = [], before?: Mended) {
    this.edits = edits;
    this.before = before;
    this.text = apply(text, edits);
  }

  with(edits: readonly Edit[]): Mended {
    if (edits.length === 0) return this;
    const inOrder = edits.toSorted((one, other) => one.offset - other.offset);
    return new Mended(this.text, inOrder, this);
  }

  /** Where what stands at `offset` now stood as it was written. */
  origin(offset: number): number {
    let shift = 0;
    for (const edit of this.edits) {
      const at = edit.offset + shift;
      if (offset < at) break;
      if (offset < at + edit.insert.length) return this.originBefore(edit.offset);
      shift += edit.insert.length - edit.remove;
    }
    return this.originBefore(offset - shift);
  }

  private originBefore(offset: number): number {
    return this.before?.origin(offset) ?? offset;
  }
}

function apply(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let end = 0;
  for (const { offset, remove, insert } of edits) {
    pieces.push(text.slice(end, offset), insert);
    end = offset + remove;
  }
  return pieces.join('') + text.slice(end);
}
