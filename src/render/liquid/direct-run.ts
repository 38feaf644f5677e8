/** What everything that is rendered by plain calls runs as, and within. */
import { toValueSync } from 'liquidjs';
import type { Context, Emitter, Liquid, Template } from 'liquidjs';
import type { Meter } from './meter.ts';

export type Run = (context: Context, emitter: Emitter) => void;

/** Compiles what stands inside a tag. */
export interface BlockCompiler {
  readonly liquid: Liquid;
  compileBlock(templates: Template[]): Run;
}

export class TextEmitter implements Emitter {
  buffer = '';

  write(text: string): void {
    this.buffer += text;
  }
}

/** @throws {Error} liquidjs' own, when the message has had its time */
export function checkTime(context: Context): void {
  context.renderLimit.check(performance.now());
}

/** Runs a text that another one brings in. @throws {Error} when they are too deep inside each other */
export function runWithin(context: Context, block: Run, emitter: Emitter): void {
  checkTime(context);
  // What `renderText` has put in the place of liquidjs' own limit.
  const meter = context.renderLimit as unknown as Meter;
  meter.within(() => block(context, emitter));
}

/** liquidjs' own way, by its generators. */
export function runItself(template: Template): Run {
  return (context, emitter) => {
    checkTime(context);
    const text: unknown = toValueSync(template.render(context, emitter));
    if (text) emitter.write(text);
  };
}
