/** A mistake in the writing of a YAML text, and the text as it was probably meant. */

/** `remove` characters at `offset` give way to `insert`. */
export interface Edit {
  readonly offset: number;
  readonly remove: number;
  readonly insert: string;
}

export interface Slip {
  readonly offset: number;
  /** What is wrong and what to do; never quotes the text, which may hold a password. */
  readonly message: string;
  /** What makes the text what was meant, in order; undefined: that cannot be told, nor can what stands behind it. */
  readonly edits?: readonly Edit[];
}

/** A text with its slips mended, so that the rest of it can be read. */
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
    return edits.length === 0 ? this : new Mended(this.text, inOrder(edits), this);
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

function inOrder(edits: readonly Edit[]): Edit[] {
  return edits.toSorted((one, other) => one.offset - other.offset);
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
