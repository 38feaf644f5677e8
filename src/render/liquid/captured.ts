/** What `{% capture %}` holds: already escaped, and a string to whatever asks. */
import { Escaped } from '../../text/escape.ts';
import { ownGetter } from '../view/own-getter.ts';

/** Compares as its text does: liquidjs asks `equals`, `gt`, … of any value that has them. */
export class Captured extends Escaped {
  static readonly #size = ownGetter((captured: Captured) => captured.toString().length);

  declare readonly size: number;
  readonly #readableText: (escaped: string) => string;

  /** @param readableText what a reader sees of what is escaped in the same markup */
  constructor(text: string, readableText: (escaped: string) => string = asItIs) {
    super(text);
    this.#readableText = readableText;
    Object.defineProperty(this, 'size', Captured.#size);
  }

  override toString(): string {
    return this.#readableText(this.text);
  }

  indexOf(part: unknown): number {
    return this.toString().indexOf(this.#textOf(part));
  }

  equals(other: unknown): boolean {
    return isBlankOrEmpty(other) ? this.toString().trim() === '' : this.toString() === this.#textOf(other);
  }

  gt(other: unknown): boolean {
    return this.toString() > this.#textOf(other);
  }

  geq(other: unknown): boolean {
    return this.toString() >= this.#textOf(other);
  }

  lt(other: unknown): boolean {
    return this.toString() < this.#textOf(other);
  }

  leq(other: unknown): boolean {
    return this.toString() <= this.#textOf(other);
  }

  #textOf(value: unknown): string {
    if (value instanceof Escaped) return this.#readableText(value.text);
    return typeof value === 'string' ? value : '';
  }
}

function asItIs(text: string): string {
  return text;
}

/** Liquid's `blank` and `empty` stand for no text of their own. */
function isBlankOrEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !(value instanceof Escaped);
}
