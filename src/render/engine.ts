/** Liquid engines: one for plain text, and one for each way in which a value is escaped. None reads files. */
import { defaultOperators, Liquid, type Operators, type Template } from 'liquidjs';
import { performance } from 'node:perf_hooks';
import type { TextKind } from '../channels/channel.ts';
import { leftOutMark } from '../channels/marks.ts';
import { textOf } from '../channels/value-text.ts';
import type { DisplayConfig } from '../config/config.ts';
import { Escaped } from '../text/clean.ts';
import { fitEscaped } from '../text/cut.ts';
import { registerFilters } from './filters.ts';

/** Objects and characters that one string may create, in liquidjs' own count. */
const MEMORY_LIMIT = 1_000_000;

/** Characters of one string of a template. */
const PARSE_LIMIT = 500_000;

/** Of one template, all its strings together (ms). */
const TIME_LIMIT_MS = 250;

/** Tags that print a value print it unescaped, and tags that read files have none to read. */
const TAGS = new Set(['assign', 'if', 'unless', 'case', 'for', 'break', 'continue', 'comment', '#']);

/** How values are printed; `undefined`: as plain text. */
export type Printing = Pick<TextKind, 'escape' | 'most'> | undefined;

export function createEngine(
  display: DisplayConfig,
  printing?: Printing,
  operators: Operators = defaultOperators,
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
  for (const name of Object.keys(liquid.tags)) if (!isTag(name, printing)) delete liquid.tags[name];
  registerFilters(liquid, display);
  return liquid;
}

/** What is captured would be escaped once more where it is printed. */
function isTag(name: string, printing: Printing): boolean {
  return TAGS.has(name) || (name === 'capture' && printing === undefined);
}

function printerOf(printing: Printing, { language }: DisplayConfig): (value: unknown) => string {
  if (printing === undefined) return textOf;
  const { escape, most } = printing;
  const mark = leftOutMark(language);
  return (value) => (value instanceof Escaped ? value.text : fitEscaped(textOf(value), most, escape, mark));
}

/** The engine for a kind of text. */
export type Engines = (printing: Printing) => Liquid;

/** Each is made when it is first asked for. */
export function enginesFor(display: DisplayConfig): Engines {
  const made = new Map<Printing, Liquid>();
  return (printing) => {
    const engine = made.get(printing) ?? createEngine(display, printing);
    made.set(printing, engine);
    return engine;
  };
}

/** One rendering of a template: its strings share the time that it may take. */
export class Rendering {
  readonly view: object;
  /** What there is beside the view in the part that is being rendered. */
  globals: object = {};
  readonly #until: number;

  /** @param limitMs Infinity for a built-in template: it is short, and a busy machine may stop the process for a moment */
  constructor(view: object, limitMs = TIME_LIMIT_MS) {
    this.view = view;
    this.#until = performance.now() + limitMs;
  }

  /** @throws {Error} liquidjs' own, with the place */
  print(liquid: Liquid, templates: Template[]): string {
    const options = {
      globals: this.globals,
      renderLimit: Math.max(0, this.#until - performance.now()),
    };
    return String(liquid.renderSync(templates, this.view, options));
  }
}
