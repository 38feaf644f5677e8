/** Renders what liquidjs parsed by plain calls: its generators take several times as long as the work they do. */
import { LiquidError, Output, RenderError, TypeGuards } from 'liquidjs';
import type { Context, Emitter, Liquid, Template } from 'liquidjs';
import { compileOutput, isOutOfPlace, type PositionedPrinter, refuse } from './direct-output.ts';
import { runItself, runWithin, TextEmitter } from './direct-run.ts';
import type { BlockCompiler, Run } from './direct-run.ts';
import { compileTag } from './direct-tags.ts';

/** In place of liquidjs' own renderer, and to the same result; a tag that is not known here renders itself. */
export class DirectRenderer implements BlockCompiler {
  readonly liquid: Liquid;
  private readonly printer: PositionedPrinter | undefined;
  private readonly compiled = new WeakMap<Template[], Run>();

  constructor(liquid: Liquid, printer?: PositionedPrinter) {
    this.liquid = liquid;
    this.printer = printer;
  }

  /** @throws {LiquidError} liquidjs' own, with the place */
  renderTemplates(templates: Template[], context: Context, emitter: Emitter = new TextEmitter()): string {
    runWithin(context, this.compileBlock(templates), emitter);
    return emitter.buffer;
  }

  /** Once for each list of templates, however many tags render it, itself included. */
  compileBlock(templates: Template[]): Run {
    const known = this.compiled.get(templates);
    if (known !== undefined) return known;
    const block = this.compileSteps(templates);
    this.compiled.set(templates, block);
    return block;
  }

  private compileSteps(templates: Template[]): Run {
    const runs = templates.map((template) => this.compile(template));
    return (context, emitter) => {
      let done = 0;
      try {
        for (const run of runs) {
          run(context, emitter);
          if (context.breakCalled || context.continueCalled) break;
          done += 1;
        }
      } catch (error) {
        throw LiquidError.is(error) ? error : new RenderError(error as Error, templates[done] as Template);
      }
    };
  }

  private compile(template: Template): Run {
    if (TypeGuards.isHTMLToken(template.token)) {
      const text = template.token.getContent();
      return (_, emitter) => emitter.write(text);
    }
    if (template instanceof Output) return compileOutput(template, this.liquid, this.printer);
    if (isOutOfPlace(template, this.printer)) return refuse;
    return compileTag(template, this) ?? runItself(template);
  }
}
