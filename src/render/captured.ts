/** What `{% capture %}` holds: already escaped, and a string to whatever asks. */
import { Escaped } from '../text/escape.ts';

/** Compares as its text does: liquidjs asks `equals`, `gt`, … of any value that has them. */
export class Captured extends Escaped {
  /** Own, since templates see own properties only. */
  readonly size: number;

  constructor(text: string) {
    super(text);
    this.size = text.length;
  }

  override toString(): string {
    return this.text;
  }

  indexOf(part: unknown): number {
    return this.text.indexOf(textOf(part));
  }

  equals(other: unknown): boolean {
    return isBlankOrEmpty(other) ? this.text.trim() === '' : this.text === textOf(other);
  }

  gt(other: unknown): boolean {
    return this.text > textOf(other);
  }

  geq(other: unknown): boolean {
    return this.text >= textOf(other);
  }

  lt(other: unknown): boolean {
    return this.text < textOf(other);
  }

  leq(other: unknown): boolean {
    return this.text <= textOf(other);
  }
}

function textOf(value: unknown): string {
  if (value instanceof Escaped) return value.text;
  return typeof value === 'string' ? value : '';
}

/** Liquid's `blank` and `empty` stand for no text of their own. */
function isBlankOrEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !(value instanceof Escaped);
}
