/** What is done to templates once they are parsed, whoever renders them: each output is escaped for where it stands. */
import { Filter, Output, Tokenizer, toValueSync, TypeGuards } from 'liquidjs';
import type { Liquid, Template } from 'liquidjs';
import type { ValuePosition } from '../../channels/markup.ts';
import type { Printer } from './print-value.ts';

const NOWHERE =
  'no value is safe here: print it as text, between the quotes of an attribute, or as an address with the filter "link"';

/** Tags that print nothing but what stands inside them, where its own place counts. */
const TRANSPARENT: ReadonlySet<string> = new Set(
  'if unless case for assign capture comment # raw break continue'.split(' '),
);

/** For filters that are in no template's text. */
export const FILTER_TOKEN = new Tokenizer('| escape').readFilter() as ConstructorParameters<typeof Filter>[0];

type Print = (value: unknown) => string;

/** Stands last among the filters of each output, in the place of liquidjs' own, which knows of no position. */
export class EscapeFilter extends Filter {
  readonly print: Print;

  constructor(print: Print, liquid: Liquid) {
    super(FILTER_TOKEN, print, liquid);
    this.print = print;
  }
}

/** Changes the templates, and all inside them, but for other files that they name. */
export function escapeOutputs(templates: readonly Template[], printer: Printer, liquid: Liquid): void {
  for (const template of templates) {
    if (template instanceof Output) escapeOutput(template, printer, liquid);
    else escapeTag(template, printer, liquid);
  }
}

function escapeOutput({ token, value }: Output, printer: Printer, liquid: Liquid): void {
  const print = printOf(printer, printer.positionOf(token.input, token.begin));
  value.filters.splice(-1, 1, new EscapeFilter(print, liquid));
}

function escapeTag(template: Template, printer: Printer, liquid: Liquid): void {
  const { token } = template;
  // Such as `render` and `echo`, which print values as texts wherever they stand.
  const prints = TypeGuards.isTagToken(token) && !TRANSPARENT.has(token.name);
  if (prints && printer.positionOf(token.input, token.begin) !== 'content') template.render = refuse;
  escapeOutputs(toValueSync<Template[]>(template.children?.(false, true) ?? []), printer, liquid);
}

function printOf(printer: Printer, position: ValuePosition): Print {
  if (position === 'content') return printer.print;
  if (position === 'nowhere') return refuse;
  return position === 'address' ? printer.printAddress : printer.printAddressPart;
}

/** @throws {Error} what the writer of the template is to do */
function refuse(): never {
  throw new Error(NOWHERE);
}

/** One template in the place of several: liquidjs renders it at once, and finds them in it where it analyzes. */
export function asOne(templates: readonly Template[], render: Template['render']): Template[] {
  const [first] = templates;
  if (first === undefined) return [];
  // oxlint-disable-next-line require-yield -- liquidjs asks for a generator
  const children = function* () {
    return [...templates];
  };
  return [{ token: first.token, render, children }];
}
