/** Finds the faults of a Liquid text before it is rendered. */
import type { Liquid, Template } from 'liquidjs';
import { fault } from '../config/words.ts';
import type { Fault } from '../text/fault.ts';
import { didYouMean } from '../text/nearest.ts';

/** Line and column count from 1 within the text. */
export interface LiquidFault {
  readonly what: Fault;
  readonly line: number;
  readonly column: number;
}

/** The place at the end of liquidjs' messages, which `LiquidFault` holds separately. */
const PLACE_IN_MESSAGE = /, (?:file:.*, )?line:\d+, col:\d+$/su;

/** A typographic quote where a value begins. */
export const LIKE_A_QUOTE = /(?<![\w.\p{L}])[\u2018-\u201f]/u;

export function parseLiquid(
  liquid: Liquid,
  source: string,
): { readonly templates?: Template[]; readonly fault?: LiquidFault } {
  try {
    return { templates: liquid.parse(source) };
  } catch (error) {
    return { fault: faultOf(liquid, error) };
  }
}

/** @param maps variables of which all keys are known, too */
export function findUnknownVariables(
  liquid: Liquid,
  templates: Template[],
  knownNames: readonly string[],
  maps: Readonly<Record<string, object>> = {},
): readonly LiquidFault[] {
  const names = [...knownNames, ...Object.keys(maps)];
  const paths = Object.entries(maps).flatMap(([name, map]) =>
    Object.keys(map).map((key) => `${name}.${key}`),
  );
  const uses = Object.values(liquid.analyzeSync(templates).globals).flat();
  return uses.flatMap(({ segments: [first, key], location: { row, col } }) => {
    const name = String(first);
    const [used, known] =
      typeof key === 'string' && Object.hasOwn(maps, name) ? [`${name}.${key}`, paths] : [name, names];
    return known.includes(used) ? [] : [{ what: thereIsNo('variable', used, known), line: row, column: col }];
  });
}

/** @param offset in characters */
export function placeIn(text: string, offset: number): Pick<LiquidFault, 'line' | 'column'> {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** The fault that an error of liquidjs' parser or renderer reports. */
export function faultOf(liquid: Liquid, error: unknown): LiquidFault {
  const message = error instanceof Error ? error.message.replace(PLACE_IN_MESSAGE, '') : String(error);
  const token = error instanceof Error && 'token' in error ? error.token : undefined;
  const [line, column] = (token as { getPosition(): [number, number] } | undefined)?.getPosition() ?? [1, 1];
  return { what: explained(liquid, message), line, column };
}

function explained(liquid: Liquid, message: string): Fault {
  const [, what, name = ''] =
    /^undefined (filter): (\S+)/u.exec(message) ?? /^(tag) "([^"]+)" not found/u.exec(message) ?? [];
  if (what !== 'tag' && what !== 'filter')
    return LIKE_A_QUOTE.test(message) ? fault('liquid.quotes') : fault('liquid.said', { why: message });
  return thereIsNo(what, name, Object.keys(what === 'tag' ? liquid.tags : liquid.filters));
}

function thereIsNo(what: 'variable' | 'tag' | 'filter', name: string, known: readonly string[]): Fault {
  return fault(`liquid.${what}`, { name, hint: didYouMean(name, known) });
}
