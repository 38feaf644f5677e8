/** Renders what liquidjs parsed by plain calls: its generators take several times as long as the work they do. */
import {
  IfTag,
  isTruthy,
  LiquidError,
  LookupType,
  Output,
  RenderError,
  RenderTag,
  toValueSync,
  TypeGuards,
} from 'liquidjs';
import type { Context, Emitter, Hash, Liquid, Template } from 'liquidjs';
import { compileValue } from './compile-value.ts';

type Run = (context: Context, emitter: Emitter) => void;

interface Step {
  readonly template: Template;
  readonly run: Run;
  /** Text takes no time worth a look at the clock. */
  readonly takesTime: boolean;
}

/** What liquidjs declares private. */
interface RenderTagInternals {
  /** A name, or what gives one while rendering. */
  readonly file: unknown;
  readonly hash: Hash;
  readonly with?: unknown;
  readonly forBinding?: unknown;
}

/** In place of liquidjs' own renderer, and to the same result; a tag that is not known here renders itself. */
export class DirectRenderer {
  private readonly liquid: Liquid;
  private readonly compiled = new WeakMap<Template[], readonly Step[]>();

  constructor(liquid: Liquid) {
    this.liquid = liquid;
  }

  /** @throws {LiquidError} liquidjs' own, with the place */
  renderTemplates(templates: Template[], context: Context, emitter: Emitter = new TextEmitter()): string {
    context.renderLimit.check(performance.now());
    for (const { template, run, takesTime } of this.stepsOf(templates)) {
      if (takesTime) context.renderLimit.check(performance.now());
      try {
        run(context, emitter);
      } catch (error) {
        throw LiquidError.is(error) ? error : new RenderError(error as Error, template);
      }
      if (context.breakCalled || context.continueCalled) break;
    }
    return emitter.buffer;
  }

  private stepsOf(templates: Template[]): readonly Step[] {
    const known = this.compiled.get(templates);
    if (known !== undefined) return known;
    const steps = templates.map((template) => this.compile(template));
    this.compiled.set(templates, steps);
    return steps;
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
      const evaluate = compileValue(template.value, this.liquid);
      return (context, emitter) => emitter.write(evaluate(context));
    }
    if (template instanceof IfTag) return this.compileIf(template);
    if (template instanceof RenderTag) return this.compileRender(template);
    return runItself(template);
  }

  private compileIf({ branches, elseTemplates = [] }: IfTag): Run {
    const compiled = branches.map(({ value, templates }) => ({
      evaluate: compileValue(value, this.liquid),
      templates,
    }));
    return (context, emitter) => {
      const branch = compiled.find(({ evaluate }) => isTruthy(evaluate(context), context));
      this.renderTemplates(branch?.templates ?? elseTemplates, context, emitter);
    };
  }

  /** `{% render "name", key: value %}`; a tag that names its partial or its scope otherwise renders itself. */
  private compileRender(tag: RenderTag): Run {
    const { file, hash, ...others } = tag as unknown as RenderTagInternals;
    if (!isPlainName(file) || others.with !== undefined || others.forBinding !== undefined)
      return runItself(tag);
    let templates: Template[] | undefined;
    return (context, emitter) => {
      const inner = context.spawn();
      Object.assign(inner.bottom(), toValueSync(hash.render(context)));
      templates ??= this.liquid.parseFileSync(file, LookupType.Partials);
      this.renderTemplates(templates, inner, emitter);
    };
  }
}

/** Anything else is worked out while rendering, or from where the tag stands. */
function isPlainName(file: unknown): file is string {
  return typeof file === 'string' && /^[\w-]+$/u.test(file);
}

function runItself(template: Template): Run {
  return (context, emitter) => {
    const text: unknown = toValueSync(template.render(context, emitter));
    if (text) emitter.write(text);
  };
}

class TextEmitter implements Emitter {
  buffer = '';

  write(text: string): void {
    this.buffer += text;
  }
}
