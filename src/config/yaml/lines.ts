/** The lines of a YAML text as their writer sees them: which keys and list items begin on each, and in which column. */
import type { Token } from './tokens.ts';

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
  readonly entries: readonly Entry[];
  /** Where what stands on it that is no key begins: a value, or more of the text above. */
  readonly textAt: number | undefined;
  /** What its last entry holds is still to come. */
  readonly opens: boolean;
  /** It begins with more of a text that began above. */
  readonly isContinuation: boolean;
}

export function linesOf(text: string, tokens: readonly Token[]): readonly Line[] {
  const reader = new LineReader(text);
  for (const token of tokens) reader.read(token);
  return reader.lines;
}

/** With which a value begins that is no plain scalar. */
const VALUES: ReadonlySet<Token['type']> = new Set([
  'alias',
  'single-quoted-scalar',
  'double-quoted-scalar',
  'block-scalar-header',
  'flow-map-start',
  'flow-seq-start',
]);

interface OpenLine extends Line {
  entries: Entry[];
  textAt: number | undefined;
  opens: boolean;
}

class LineReader {
  readonly lines: OpenLine[] = [];
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
    else if (VALUES.has(type)) this.addText(offset);
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

  private lineAt(offset: number, isContinuation = false): OpenLine {
    const known = this.lines.at(-1);
    if (known !== undefined && !this.isAtStart) return known;
    this.isAtStart = false;
    const column = this.columnOf(offset);
    const line = { offset, column, entries: [], textAt: undefined, opens: false, isContinuation };
    this.lines.push(line);
    return line;
  }

  private columnOf(offset: number): number {
    const start = this.text.lastIndexOf('\n', offset - 1) + 1;
    return offset - start - (this.text.startsWith('\ufeff', start) ? 1 : 0);
  }
}
