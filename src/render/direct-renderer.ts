/** Renders what liquidjs parsed by plain calls: its generators take several times as long as the work they do. */
import { LiquidError, Output, RenderError, TypeGuards } from 'liquidjs';
import type { Context, Emitter, Liquid, Template } from 'liquidjs';
import { compileOutput, isOutOfPlace, type PositionedPrinter, refuse } from './direct-output.ts';
import { checkTime, runItself, TextEmitter } from './direct-run.ts';
import type { BlockCompiler, Run } from './direct-run.ts';
import { compileTag } from './direct-tags.ts';

interface Step {
  readonly template: Template;
  readonly run: Run;
  /** Text takes no time worth a look at the clock. */
  readonly takesTime: boolean;
}

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
    checkTime(context);
    this.compileBlock(templates)(context, emitter);
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
    const steps = templates.map((template) => this.compile(template));
    return (context, emitter) => {
      for (const step of steps) {
        runStep(step, context, emitter);
        if (context.breakCalled || context.continueCalled) break;
      }
    };
  }

  private compile(template: Template): Step {
    if (TypeGuards.isHTMLToken(template.token)) {
      const text = template.token.getContent();
      return { template, takesTime: false, run: (_, emitter) => emitter.write(text) };
    }
    return { template, takesTime: true, run: this.compileRun(template) };
  }

  private compileRun(template: Template): Run {
    if (template instanceof Output) {
      const evaluate = compileOutput(template, this.liquid, this.printer);
      return (context, emitter) => emitter.write(evaluate(context));
    }
    if (isOutOfPlace(template, this.printer)) return refuse;
    return compileTag(template, this) ?? runItself(template);
  }
}

function runStep({ template, run, takesTime }: Step, context: Context, emitter: Emitter): void {
  if (takesTime) checkTime(context);
  try {
    run(context, emitter);
  } catch (error) {
    throw LiquidError.is(error) ? error : new RenderError(error as Error, template);
  }
}
