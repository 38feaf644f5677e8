/** How deep a YAML text is nested, before it is parsed: the parser recurses, and near the end of the stack V8 may end the process. */
import { endOf, isFilling, problem, type Reading, type YamlProblem } from './reading.ts';

/** Levels; the parser takes some eight hundred. */
const DEEPEST = 100;

/** Begins a level within a line. */
const BEGINS_LEVEL = /^(?:seq-item-ind|explicit-key-ind)$/;

/** Undefined: it may be parsed. */
export function nestedTooDeep({ tokens }: Reading): YamlProblem | undefined {
  const levels = new BlockLevels();
  const tooDeep = tokens.find((token) => token.depth >= DEEPEST || levels.enter(token) > DEEPEST);
  return tooDeep && problem(tooDeep.offset, `nested too deep: at most ${DEEPEST} levels`);
}

/** The columns in which what is open begins, outside of brackets. */
class BlockLevels {
  readonly #columns: number[] = [];
  #lineStart = 0;
  #isLineStart = true;

  /** @returns how many levels are open, no fewer than there are */
  enter(token: Reading['tokens'][number]): number {
    const { type, source, offset, depth } = token;
    if (depth === 0 && !isFilling(token) && (this.#isLineStart || BEGINS_LEVEL.test(type))) {
      this.#begin(offset - this.#lineStart);
    }
    if (source.endsWith('\n')) {
      this.#lineStart = endOf(token);
      this.#isLineStart = true;
    }
    return this.#columns.length;
  }

  #begin(column: number): void {
    while (this.#isLineStart && (this.#columns.at(-1) ?? -1) >= column) this.#columns.pop();
    this.#columns.push(column);
    this.#isLineStart = false;
  }
}
