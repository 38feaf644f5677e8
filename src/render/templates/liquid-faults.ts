/** Finds what is wrong with a Liquid text before it is ever rendered. */
import type { Liquid, StaticAnalysis, Template } from 'liquidjs';
import { didYouMean } from '../../text/nearest.ts';

/** Line and column count from 1, within the text or within the partial named `partial`. */
export interface LiquidFault {
  readonly message: string;
  readonly line: number;
  readonly column: number;
  readonly partial?: string;
  /** Works, but may not be meant. An error where it is left out. */
  readonly severity?: 'warning';
}

/** A text that is Liquid, or why it is not. */
export type ParsedLiquid =
  | { readonly templates: Template[]; readonly fault?: undefined }
  | { readonly templates?: undefined; readonly fault: LiquidFault };

/** liquidjs ends its messages with the place, which is told separately. */
const PLACE_IN_MESSAGE = /, (?:file:.*, )?line:\d+, col:\d+$/su;

export function parseLiquid(liquid: Liquid, source: string): ParsedLiquid {
  try {
    return { templates: liquid.parse(source) };
  } catch (error) {
    return { fault: faultOf(liquid, error) };
  }
}

/** Variables that nothing gives, or the fault of a partial that they were looked for in. */
export function findUnknownVariables(
  liquid: Liquid,
  templates: Template[],
  knownNames: readonly string[],
): readonly LiquidFault[] {
  try {
    const { globals } = analyze(liquid, templates);
    return Object.entries(globals)
      .filter(([name]) => !knownNames.includes(name))
      .flatMap(([name, places]) => places.map((place) => unknownVariable(name, place, knownNames)));
  } catch (error) {
    return [faultOf(liquid, error)];
  }
}

/** Without partials where one renders itself, which liquidjs follows until the stack is full. */
function analyze(liquid: Liquid, templates: Template[]): StaticAnalysis {
  try {
    return liquid.analyzeSync(templates);
  } catch (error) {
    if (error instanceof RangeError) return liquid.analyzeSync(templates, { partials: false });
    throw error;
  }
}

/** What a failed parsing or rendering says, with its place. */
export function faultOf(liquid: Liquid, error: unknown): LiquidFault {
  const message = error instanceof Error ? error.message.replace(PLACE_IN_MESSAGE, '') : String(error);
  const token = tokenOf(error);
  const [line, column] = token?.getPosition() ?? [1, 1];
  const partial = token?.file === undefined ? {} : { partial: token.file };
  return { message: explain(liquid, message), line, column, ...partial };
}

interface PlacedToken {
  readonly file?: string;
  getPosition(): [number, number];
}

function tokenOf(error: unknown): PlacedToken | undefined {
  return error instanceof Error && 'token' in error ? (error.token as PlacedToken | undefined) : undefined;
}

/** What V8 says. */
const STACK_IS_FULL = 'Maximum call stack size exceeded';

function explain(liquid: Liquid, message: string): string {
  if (message === STACK_IS_FULL) return 'nested too deep';
  const filter = /^undefined filter: (?<name>\S+)/u.exec(message)?.groups?.['name'];
  if (filter !== undefined) return unknownFilter(liquid, filter);
  const tag = /^tag "(?<name>[^"]+)" not found/u.exec(message)?.groups?.['name'];
  if (tag !== undefined)
    return `there is no tag "${tag}"${didYouMean(tag, Object.keys(liquid.tags).filter(isWord))}`;
  const partial = /^ENOENT: Failed to lookup "(?<name>[^"]+)"/u.exec(message)?.groups?.['name'];
  if (partial === undefined) return message;
  const partials = Object.keys(liquid.options.templates ?? {});
  return `there is no partial "_${partial}.liquid"${didYouMean(partial, partials)}`;
}

/** `#` begins a comment. */
function isWord(name: string): boolean {
  return /^\w/u.test(name);
}

function unknownFilter(liquid: Liquid, name: string): string {
  if (name === 'raw')
    return 'there is no filter "raw": values are always escaped here; write markup in the template itself';
  return `there is no filter "${name}"${didYouMean(name, Object.keys(liquid.filters))}`;
}

function unknownVariable(
  name: string,
  { location }: StaticAnalysis['globals'][string][number],
  knownNames: readonly string[],
): LiquidFault {
  const partial = location.file === undefined ? {} : { partial: location.file };
  const message = `there is no variable "${name}"${didYouMean(name, knownNames)}`;
  return { message, line: location.row, column: location.col, ...partial };
}
