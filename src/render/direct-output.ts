/** Prints `{{ … }}` as harmless as the place requires at which it stands in the template's own markup. */
import { TypeGuards } from 'liquidjs';
import type { Liquid, Output, Template, Value } from 'liquidjs';
import { compileValue, type Evaluate } from './compile-value.ts';
import type { ValuePosition } from './value-position.ts';

export interface PositionedPrinter {
  positionOf(source: string, offset: number): ValuePosition;
  /** What is no address comes out empty. */
  printAddress(value: unknown): string;
  printAddressPart(value: unknown): string;
}

const NOWHERE =
  'no value is safe here: print it as text, between the quotes of an attribute, or as an address with the filter "link"';

export function compileOutput(
  { token, value }: Output,
  liquid: Liquid,
  printer: PositionedPrinter | undefined,
): Evaluate {
  const position = printer?.positionOf(token.input, token.begin) ?? 'content';
  if (printer === undefined || position === 'content') return compileValue(value, liquid);
  if (position === 'nowhere') return refuse;
  const evaluate = compileValue(unescaped(value), liquid);
  return position === 'address'
    ? (context) => printer.printAddress(evaluate(context))
    : (context) => printer.printAddressPart(evaluate(context));
}

/** Tags that print nothing but what stands inside them, where its own place counts. */
const TRANSPARENT: ReadonlySet<string> = new Set(
  'if unless case for assign capture comment # raw break continue'.split(' '),
);

/** Whether a tag prints values by itself, as `render` and `echo` do, where those would have to be addresses. */
export function isOutOfPlace({ token }: Template, printer: PositionedPrinter | undefined): boolean {
  if (printer === undefined || !TypeGuards.isTagToken(token) || TRANSPARENT.has(token.name)) return false;
  return printer.positionOf(token.input, token.begin) !== 'content';
}

/** @throws {Error} what the writer of the template is to do */
export function refuse(): never {
  throw new Error(NOWHERE);
}

/** liquidjs ends each output's filters with the one that escapes. */
function unescaped({ initial, filters }: Value): Pick<Value, 'initial' | 'filters'> {
  return { initial, filters: filters.slice(0, -1) };
}
