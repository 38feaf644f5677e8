/** The strings of a template that contain Liquid, printed by as few renderings as can be: beginning one costs more than most strings. */
import type { Liquid, Template as LiquidTemplate } from 'liquidjs';
import type { TextKind } from '../channels/channel.ts';
import type { Path } from '../config/path.ts';
import { tokenOf } from './liquid-faults.ts';

export interface LiquidString {
  readonly path: Path;
  /** Undefined: plain text. */
  readonly kind: TextKind | undefined;
  readonly liquid: Liquid;
  readonly nodes: LiquidTemplate[];
  /** Whether what it sets would reach other strings of the same rendering. */
  readonly standsAlone: boolean;
}

export interface Reading {
  readonly view: Readonly<Record<string, unknown>>;
  /** The variables beside those of the view, for a kind of text. */
  readonly globalsOf: (kind: TextKind | undefined) => object;
  /** On the scale of `performance.now()`. */
  readonly until: number;
  /** The error to throw for one of liquidjs' about a string. */
  readonly faultOf: (string: LiquidString, error: unknown) => Error;
}

/** Printed between two strings. No text of a template holds it, and where a value does, the strings are printed one by one. */
const SEPARATOR = '\0\u0001\0';

/** What reaches on from one string to the next in the same rendering: variables, a loop's `offset: continue`, an end of all. */
const REACHES_ON = /\b(?:assign|capture|break|continue)\b/;

export function standsAlone(text: string): boolean {
  return REACHES_ON.test(text) || text.includes(SEPARATOR);
}

/** Strings of one engine that are printed together. */
export class Batch {
  readonly #first: LiquidString;
  readonly #strings: LiquidString[];
  readonly #nodes: LiquidTemplate[];

  constructor(first: LiquidString) {
    this.#first = first;
    this.#strings = [first];
    this.#nodes = [...first.nodes];
  }

  /** @returns false: the string cannot be printed together with these */
  takes(string: LiquidString): boolean {
    const { liquid, standsAlone } = this.#first;
    if (standsAlone || string.standsAlone || string.liquid !== liquid) return false;
    this.#nodes.push(...liquid.parse(SEPARATOR), ...string.nodes);
    this.#strings.push(string);
    return true;
  }

  /** Adds the text of each string to `printed`. @throws {Error} what `faultOf` gives */
  print(reading: Reading, printed: Map<LiquidString, string>): void {
    const pieces = this.#printedTogether(reading);
    for (const [index, string] of this.#strings.entries())
      printed.set(string, pieces?.[index] ?? printedAlone(string, reading));
  }

  /** Undefined: the strings have to be printed one by one, so that a fault names its place, and each has its own limit of memory. */
  #printedTogether(reading: Reading): readonly string[] | undefined {
    if (this.#strings.length === 1) return undefined;
    try {
      const pieces = rendered({ ...this.#first, nodes: this.#nodes }, reading).split(SEPARATOR);
      return pieces.length === this.#strings.length ? pieces : undefined;
    } catch (error) {
      if (performance.now() < reading.until) return undefined;
      const source = tokenOf(error)?.input;
      const slow = this.#strings.find(({ nodes }) => nodes.some(({ token }) => token.input === source));
      throw reading.faultOf(slow ?? this.#first, error);
    }
  }
}

/** @throws {Error} what `faultOf` gives */
export function printedAlone(string: LiquidString, reading: Reading): string {
  try {
    return rendered(string, reading);
  } catch (error) {
    throw reading.faultOf(string, error);
  }
}

function rendered({ liquid, nodes, kind }: LiquidString, { view, globalsOf, until }: Reading): string {
  const renderLimit = Math.max(0, until - performance.now());
  return String(liquid.renderSync(nodes, view, { globals: globalsOf(kind), renderLimit }));
}
