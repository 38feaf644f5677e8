/** Escapes what a template prints, once and for where it stands: outputs and captures, in both ways of rendering. */
import {
  CaptureTag,
  type Context,
  Filter,
  type Liquid,
  Output,
  type Template,
  Tokenizer,
  toValueSync,
  TypeGuards,
} from 'liquidjs';
import type { Markup, ValuePosition } from '../../channels/markup.ts';
import { Escaped } from '../../text/clean.ts';
import { ownGetter } from '../view/lazy.ts';
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

export abstract class EscapedCaptureTag extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    const text = yield this.liquid.renderer.renderTemplates(this.templates, context);
    context.bottom()[this.variable] = this.captured(text);
  }

  abstract captured(text: string): Captured;
}

/** The tag in templates of that markup. */
export function captureTagOf({ readableText }: Markup) {
  return class extends EscapedCaptureTag {
    override captured(text: string): Captured {
      return new Captured(text, readableText);
    }
  };
}

/** Compares as its text does: liquidjs asks `equals`, `gt`, … of any value that has them. */
class Captured extends Escaped {
  static readonly #size = ownGetter((captured: Captured) => captured.toString().length);

  declare readonly size: number;
  readonly #readableText: (escaped: string) => string;

  /** @param readableText what a reader sees of what is escaped in the same markup */
  constructor(text: string, readableText: (escaped: string) => string = asItIs) {
    super(text);
    this.#readableText = readableText;
    Object.defineProperty(this, 'size', Captured.#size);
  }

  override toString(): string {
    return this.#readableText(this.text);
  }

  indexOf(part: unknown): number {
    return this.toString().indexOf(this.#textOf(part));
  }

  equals(other: unknown): boolean {
    return isBlankOrEmpty(other) ? this.toString().trim() === '' : this.toString() === this.#textOf(other);
  }

  gt(other: unknown): boolean {
    return this.toString() > this.#textOf(other);
  }

  geq(other: unknown): boolean {
    return this.toString() >= this.#textOf(other);
  }

  lt(other: unknown): boolean {
    return this.toString() < this.#textOf(other);
  }

  leq(other: unknown): boolean {
    return this.toString() <= this.#textOf(other);
  }

  #textOf(value: unknown): string {
    if (value instanceof Escaped) return this.#readableText(value.text);
    return typeof value === 'string' ? value : '';
  }
}

function asItIs(text: string): string {
  return text;
}

/** Liquid's `blank` and `empty` stand for no text of their own. */
function isBlankOrEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !(value instanceof Escaped);
}
