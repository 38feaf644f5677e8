/** Prints `{{ … }}` as harmless as the place requires at which it stands in the template's own markup. */
import { TypeGuards } from 'liquidjs';
import type { Liquid, Output, Template } from 'liquidjs';
import { compileValue } from './compile-value.ts';
import { checkTime, type Run } from './direct-run.ts';
import type { ValuePosition } from '../../channels/value-position.ts';

export interface PositionedPrinter {
  positionOf(source: string, offset: number): ValuePosition;
  /** What is no address comes out empty. */
  readonly printAddress: (value: unknown) => string;
  readonly printAddressPart: (value: unknown) => string;
}

const NOWHERE =
  'no value is safe here: print it as text, between the quotes of an attribute, or as an address with the filter "link"';

/** A longer text takes time to clean and to escape. */
const LONG = 1000;

export function compileOutput(output: Output, liquid: Liquid, printer: PositionedPrinter | undefined): Run {
  const print = compilePrint(output, liquid, printer);
  // liquidjs has the one that escapes stand last.
  const filters = output.value.filters.slice(0, -1);
  const evaluate = compileValue({ initial: output.value.initial, filters }, liquid);
  return (context, emitter) => {
    const value = evaluate(context);
    if (isLarge(value)) checkTime(context);
    emitter.write(print(value));
  };
}

/** Whatever else is printed as it is takes no time worth a look at the clock. */
function isLarge(value: unknown): boolean {
  return typeof value === 'string' ? value.length > LONG : typeof value === 'object';
}

function compilePrint(
  { token }: Output,
  { options }: Liquid,
  printer: PositionedPrinter | undefined,
): (value: unknown) => string {
  const position = printer?.positionOf(token.input, token.begin) ?? 'content';
  if (printer === undefined || position === 'content')
    return options.outputEscape as (value: unknown) => string;
  if (position === 'nowhere') return refuse;
  return position === 'address' ? printer.printAddress : printer.printAddressPart;
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
