/** What `{% capture %}` holds: already escaped, and a string to whatever asks. */
import { Escaped } from '../text/escape.ts';
import { withoutMarks } from '../text/value-marks.ts';
import { ownGetter } from './own-getter.ts';

/** Compares as its text does: liquidjs asks `equals`, `gt`, … of any value that has them. */
export class Captured extends Escaped {
  static readonly #size = ownGetter((captured: Captured) => captured.toString().length);

  declare readonly size: number;

  constructor(text: string) {
    super(text);
    Object.defineProperty(this, 'size', Captured.#size);
  }

  override toString(): string {
    return withoutMarks(this.text);
  }

  indexOf(part: unknown): number {
    return this.toString().indexOf(textOf(part));
  }

  equals(other: unknown): boolean {
    return isBlankOrEmpty(other) ? this.toString().trim() === '' : this.toString() === textOf(other);
  }

  gt(other: unknown): boolean {
    return this.toString() > textOf(other);
  }

  geq(other: unknown): boolean {
    return this.toString() >= textOf(other);
  }

  lt(other: unknown): boolean {
    return this.toString() < textOf(other);
  }

  leq(other: unknown): boolean {
    return this.toString() <= textOf(other);
  }
}

function textOf(value: unknown): string {
  if (value instanceof Escaped) return withoutMarks(value.text);
  return typeof value === 'string' ? value : '';
}

/** Liquid's `blank` and `empty` stand for no text of their own. */
function isBlankOrEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !(value instanceof Escaped);
}
