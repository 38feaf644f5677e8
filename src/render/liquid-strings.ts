/** The strings of a template that hold Liquid beyond words and variables. */
import type { Liquid, Template as LiquidTemplate } from 'liquidjs';
import type { TextKind } from '../channels/channel.ts';
import type { Path } from '../config/path.ts';

export interface LiquidString {
  readonly path: Path;
  /** Undefined: plain text. */
  readonly kind: TextKind | undefined;
  readonly liquid: Liquid;
  readonly nodes: LiquidTemplate[];
}

export interface Reading {
  readonly view: Readonly<Record<string, unknown>>;
  /** The variables beside those of the view, for a kind of text. */
  readonly globalsOf: (kind: TextKind | undefined) => object;
  /** On the scale of `performance.now()`. */
  readonly until: number;
}

/** @throws {Error} of liquidjs */
export function printed({ liquid, nodes, kind }: LiquidString, { view, globalsOf, until }: Reading): string {
  const renderLimit = Math.max(0, until - performance.now());
  return String(liquid.renderSync(nodes, view, { globals: globalsOf(kind), renderLimit }));
}
