/** Numbers that keep the spelling in which they came. */

/** A number that JavaScript would spell otherwise, such as `1.10` or an id of 64 bits. It prints as spelt; the nearest one counts. */
export class SpeltNumber extends Number {
  readonly spelling: string;

  /** @param spelling a number as JSON spells it */
  constructor(spelling: string) {
    super(spelling);
    this.spelling = spelling;
  }

  override toString(): string {
    return this.spelling;
  }

  // liquidjs compares whatever has these five methods by them; else such a number would equal no other one.
  equals(other: unknown): boolean {
    return this.valueOf() === plainNumber(other);
  }

  gt(other: number): boolean {
    return this.valueOf() > other;
  }

  geq(other: number): boolean {
    return this.valueOf() >= other;
  }

  lt(other: number): boolean {
    return this.valueOf() < other;
  }

  leq(other: number): boolean {
    return this.valueOf() <= other;
  }
}

/** JavaScript's number for a `SpeltNumber`; any other value unchanged. */
export function plainNumber(value: unknown): unknown {
  return value instanceof SpeltNumber ? value.valueOf() : value;
}
