/**
 * A source file with all its mutants in it, asleep: `globalThis.isAwake(n)` wakes the nth, `globalThis.isFixed(n)` that of a condition, and
 * `globalThis.condition` is told what the condition is without them.
 */
import type * as ts from 'typescript/unstable/ast';
import type { Mutant } from './mutants.ts';

const FIXED: ReadonlySet<string> = new Set(['true', 'false']);

/** @param first the number of the first of `mutants` */
export function instrumented(file: ts.SourceFile, mutants: readonly Mutant[], first: number): string {
  const byNode = new Map<ts.Node, (Mutant & { readonly id: number })[]>();
  for (const [id, mutant] of mutants.entries())
    byNode.set(mutant.node, [...(byNode.get(mutant.node) ?? []), { ...mutant, id: first + id }]);
  const { text } = file;
  /** The text from `start` on, with what is at and under `node`. */
  const write = (node: ts.Node, start: number): string => {
    let written = '';
    let at = start;
    node.forEachChild((child) => {
      const from = Math.max(child.getStart(file), at);
      written += text.slice(at, from) + write(child, from);
      at = child.end;
    });
    written += text.slice(at, node.end);
    const here = byNode.get(node) ?? [];
    if (here.length === 0) return written;
    const choices = here.map(({ id, start: begin, end, after }) => {
      const isAwake = FIXED.has(after) ? 'isFixed' : 'isAwake';
      return `globalThis.${isAwake}(${id}) ? ${text.slice(start, begin)}${after}${text.slice(end, node.end)} : `;
    });
    const [toTrue, toFalse] = ['true', 'false'].map((fixed) => here.find(({ after }) => after === fixed)?.id);
    const itself =
      (toTrue ?? toFalse) === undefined ? written : `globalThis.condition(${toFalse}, ${toTrue}, ${written})`;
    return `(${choices.join('')}${itself})`;
  };
  return write(file, 0);
}
