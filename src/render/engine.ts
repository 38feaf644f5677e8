/** Liquid engines: one for plain text, and one for each way to escape values; none reads files. Also prints strings that need no engine. */
import { Liquid, type Operators } from 'liquidjs';
import type { TextKind } from '../channels/channel.ts';
import { leftOutMark } from '../channels/marks.ts';
import { textOf } from '../channels/value-text.ts';
import type { DisplayConfig } from '../config/config.ts';
import { cleanText, Escaped } from '../text/clean.ts';
import { fitEscaped } from '../text/cut.ts';
import { registerFilters } from './filters.ts';
import { ORDERING } from './operators.ts';

/** Objects and characters that one string of a template may create, as liquidjs counts them. */
const MEMORY_LIMIT = 1_000_000;

/** Characters in one string of a template. */
const PARSE_LIMIT = 500_000;

/** Milliseconds for all strings of one template together, or for one condition. */
export const TIME_LIMIT_MS = 250;

/** The tags that remain: the others print values unescaped, or read files. */
const TAGS = ['assign', 'if', 'unless', 'case', 'for', 'comment', '#'];
/** Where values are escaped, `capture` would have a text escaped again, and the others could leave a quote or a link open before a value. */
const TAGS_OF_CARDS = [...TAGS, 'capture', 'break', 'continue'];

/** How values are printed; `undefined`: as plain text. */
export type Printing = Pick<TextKind, 'escape' | 'most'> | undefined;

export function createEngine(
  display: DisplayConfig,
  printing?: Printing,
  operators: Operators = ORDERING,
): Liquid {
  const liquid = new Liquid({
    templates: {},
    ownPropertyOnly: true,
    strictFilters: true,
    outputEscape: printerOf(printing, display),
    timezoneOffset: display.timezone,
    locale: display.language,
    memoryLimit: MEMORY_LIMIT,
    parseLimit: PARSE_LIMIT,
    operators,
  });
  const tags = printing === undefined ? TAGS_OF_CARDS : TAGS;
  for (const name of Object.keys(liquid.tags)) if (!tags.includes(name)) delete liquid.tags[name];
  registerFilters(liquid, display);
  return liquid;
}

function printerOf(printing: Printing, { language }: DisplayConfig): (value: unknown) => string {
  if (printing === undefined) return plain;
  const { escape, most } = printing;
  const mark = leftOutMark(language);
  return (value) => (value instanceof Escaped ? value.text : fitEscaped(textOf(value), most, escape, mark));
}

/** In characters. A longer value stands alone; it is cleaned later, after it was cut. */
const MOST_AMONG_WORDS = 2000;

/** Cleans a value before it is put among words, so that a control sequence left open in it cannot remove the words after it. */
function plain(value: unknown): string {
  const text = textOf(value);
  return text.length > MOST_AMONG_WORDS ? text : cleanText(text);
}

export type Engines = (printing: Printing) => Liquid;

/** Creates each engine at its first use. */
export function enginesFor(display: DisplayConfig): Engines {
  const made = new Map<Printing, Liquid>();
  return (printing) => {
    const engine = made.get(printing) ?? createEngine(display, printing);
    made.set(printing, engine);
    return engine;
  };
}

/** Prints a string of words and variables alone, as most are. @param isPiece it prints nothing where a variable is empty */
type PrintWords = (view: Readonly<Record<string, unknown>>, isPiece: boolean) => string;

/** The excluded names are literals of liquidjs, or, like `card`, not in the view. */
const VARIABLE = /\{\{ *(?!(?:true|false|nil|null|empty|blank|card) *\}\})([a-z_]\w*) *\}\}/;

/** Prints what `liquid` would, without its cost for each string. @returns undefined: the text holds more than words and variables */
export function wordsIn(text: string, { options: { outputEscape } }: Liquid): PrintWords | undefined {
  // Words and names of variables alternate.
  const parts = text.split(VARIABLE);
  const isMore = parts.some((part, index) => index % 2 === 0 && /\{[{%]|[%}]\}/.test(part));
  if (isMore || outputEscape === undefined) return undefined;
  const [first = '', ...rest] = parts;
  return (view, isPiece) => {
    let printed = first;
    for (let index = 0; index < rest.length; index += 2) {
      const value = outputEscape(valueOf(view, rest[index] as string));
      if (isPiece && value === '') return '';
      printed += value + (rest[index + 1] as string);
    }
    return printed;
  };
}

function valueOf(view: Readonly<Record<string, unknown>>, name: string): unknown {
  const value = Object.hasOwn(view, name) ? view[name] : undefined;
  return typeof value === 'function' ? (value as () => unknown)() : value;
}
