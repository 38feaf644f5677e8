/** Keys and list items that line up with nothing above them, and where each was probably meant to begin. */
import {
  type Entry,
  type Line,
  lineNumberOf,
  lineStartOf,
  type Reading,
  type Edit,
  type YamlProblem,
} from './reading.ts';

/** A key or item that lines below may still belong to. */
interface Open extends Entry {
  /** Of its line. */
  readonly offset: number;
  /** Its value is still to come. */
  readonly awaits: boolean;
}

const NOT_MOVED = { column: Number.POSITIVE_INFINITY, by: 0 };

export function findIndentation(reading: Reading): YamlProblem[] {
  const walk = new Walk(reading);
  for (const [index, line] of reading.lines.entries()) walk.pass(line, index);
  return walk.problems;
}

class Walk {
  readonly problems: YamlProblem[] = [];
  private readonly reading: Reading;
  /** From the outermost to the innermost, in the columns where they were meant to begin. */
  private open: readonly Open[] = [];
  /** How far the latest line that is wrong was moved: its neighbours in the same column are wrong with it. */
  private moved = NOT_MOVED;
  private edits: Edit[] = [];

  constructor(reading: Reading) {
    this.reading = reading;
  }

  pass(line: Line, index: number): void {
    if (line.column < this.moved.column) this.moved = NOT_MOVED;
    const kind = line.entries[0]?.kind ?? this.swallowedKind(line);
    if (kind === undefined) this.passText(line, index);
    else if (fits(kind, line.column, this.open)) this.enter(line, kind, line.column);
    else if (fits(kind, line.column + this.moved.by, this.open)) this.move(line, index, kind);
    else this.report(line, index, kind);
  }

  /** `- b` below `- a`, but deeper, is taken for more of the text "a". */
  private swallowedKind(line: Line): 'item' | undefined {
    const isItem = line.isContinuation && this.reading.text.startsWith('- ', line.offset);
    return isItem && this.open.at(-1)?.kind === 'item' ? 'item' : undefined;
  }

  private passText(line: Line, index: number): void {
    if (line.column > this.moved.column && this.moved.by > 0) this.shift(index, this.moved.by);
    this.open = settled(this.open);
  }

  private report(line: Line, index: number, kind: Entry['kind']): void {
    const wanted = siblingsOf(kind, line.column, this.open);
    const [nearest, other] = wanted;
    if (nearest === undefined) return this.enter(line, kind, line.column);
    const problem = { offset: line.offset, message: this.describe(kind, line.column, wanted) };
    this.edits = [];
    this.problems.push(other === undefined ? { ...problem, edits: this.edits } : problem);
    this.moved = { column: line.column, by: nearest.column - line.column };
    this.move(line, index, kind);
  }

  private move(line: Line, index: number, kind: Entry['kind']): void {
    this.shift(index, this.moved.by);
    this.enter(line, kind, line.column + this.moved.by);
  }

  private enter(line: Line, kind: Entry['kind'], column: number): void {
    const { offset, entries, opens } = line;
    const by = column - line.column;
    const own = entries.length > 0 ? entries : [{ kind, column: line.column }];
    const opened = own.map((entry, index): Open => {
      const awaits = opens && index === own.length - 1;
      return { kind: entry.kind, column: entry.column + by, offset, awaits };
    });
    this.open = [...settled(enclosing(kind, column, this.open)), ...opened];
  }

  /** The line with all that hangs on it: what is in its brackets, or below its `|`. */
  private shift(index: number, by: number): void {
    const { text, lines } = this.reading;
    const [line, next] = [lines[index], lines[index + 1]];
    if (line === undefined) return;
    const begin = lineStartOf(text, line.offset);
    const end = next === undefined ? text.length : lineStartOf(text, next.offset);
    for (const { index: at, 0: blanks } of text.slice(begin, end).matchAll(/^ *(?=[^ \r\n])/gm)) {
      const offset = begin + at;
      const edit =
        by > 0 ? { remove: 0, insert: ' '.repeat(by) } : { remove: Math.min(-by, blanks.length), insert: '' };
      this.edits.push({ offset, ...edit });
    }
  }

  private describe(kind: Entry['kind'], column: number, wanted: readonly Open[]): string {
    const what = kind === 'key' ? 'key' : 'list item';
    const places = wanted.map((sibling) => {
      const line = lineNumberOf(this.reading.text, sibling.offset);
      return `in column ${sibling.column + 1}, like the ${what} in line ${line}`;
    });
    const [nearest] = wanted;
    const isTooFar = nearest !== undefined && nearest.column < column;
    const problem =
      wanted.length > 1
        ? 'lines up with nothing above it'
        : `is indented ${isTooFar ? 'too far' : 'too little'}`;
    return `this ${what} ${problem}: begin it ${places.join(', or ')}`;
  }
}

/** Whether a key or item may begin in this column. */
function fits(kind: Entry['kind'], column: number, open: readonly Open[]): boolean {
  const top = open.findLast((each) => each.column <= column);
  if (top === undefined) return open.length === 0;
  if (top.column < column) return top === open.at(-1) && top.awaits;
  if (top.kind === kind) return true;
  // A list may begin in the column of its own key, and end with the next key there.
  if (kind === 'item') return top === open.at(-1) && top.awaits;
  return open.some((each) => each.kind === 'key' && each.column === column);
}

/** What still encloses a key or item that begins in this column. */
function enclosing(kind: Entry['kind'], column: number, open: readonly Open[]): readonly Open[] {
  return open.filter(
    (each) => each.column < column || (each.column === column && kind === 'item' && each.kind === 'key'),
  );
}

function settled(open: readonly Open[]): readonly Open[] {
  return open.map((each) => (each.awaits ? { ...each, awaits: false } : each));
}

/** Of those that it could stand beside, the nearest; two where one is as near as the other. */
function siblingsOf(kind: Entry['kind'], column: number, open: readonly Open[]): Open[] {
  const outer = open.findLast((each) => each.kind === kind && each.column < column);
  const inner = open.find((each) => each.kind === kind && each.column > column);
  if (inner === undefined || outer === undefined) return [inner ?? outer ?? []].flat();
  // In the column of another kind it was meant to belong to that.
  if (open.some((each) => each.column === column)) return [inner];
  const nearer = inner.column - column - (column - outer.column);
  if (nearer === 0) return [inner, outer];
  return [nearer < 0 ? inner : outer];
}
