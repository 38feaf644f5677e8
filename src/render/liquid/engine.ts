/** One Liquid engine for each kind of text; nothing in it reads files or runs without bounds. */
import { type Context, type Emitter, Liquid, type LiquidOptions, type Template, toValueSync } from 'liquidjs';
import type { Markup } from '../../channels/markup.ts';
import type { DisplayConfig } from '../../config/config.ts';
import { DirectContext, runDirectly, TextEmitter } from './direct.ts';
import { asOne, captureTagOf, escapeOutputs } from './escape.ts';
import { registerFilters } from './filters.ts';
import { createPrinter, type Meter } from './print-value.ts';

/** Objects that one rendering may create, in liquidjs' own count. */
const MEMORY_LIMIT = 1_000_000;

/** Characters of one template string with all its partials. */
const PARSE_LIMIT = 500_000;

export interface SourceFile {
  /** As problems name it. */
  readonly path: string;
  readonly text: string;
}

interface EngineOptions {
  readonly markup: Markup;
  readonly display: DisplayConfig;
  readonly meter: Meter;
  /** Texts that `{% render "name" %}` and `{% layout "name" %}` find, by name. */
  readonly partials: Readonly<Record<string, string>>;
}

/** @param run what takes the place of parsed templates; the tests have liquidjs run them itself */
export function createEngine(
  { markup, display, meter, partials }: EngineOptions,
  run: (templates: Template[], liquid: Liquid) => Template[] = runDirectly,
): Liquid {
  const printer = createPrinter(markup, display.language, meter);
  const prepare: Prepare = (templates, liquid) => {
    escapeOutputs(templates, printer, liquid);
    return run(templates, liquid);
  };
  const liquid = new Engine(prepare, meter, {
    // liquidjs would find "constructor" among the members that every object has.
    templates: Object.assign(Object.create(null) as object, partials),
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables: false,
    outputEscape: printer.print,
    timezoneOffset: display.timezone,
    locale: display.language,
    memoryLimit: MEMORY_LIMIT,
    parseLimit: PARSE_LIMIT,
  });
  registerFilters(liquid, printer, display);
  liquid.registerTag('capture', captureTagOf(markup));
  return liquid;
}

type Prepare = (templates: Template[], liquid: Liquid) => Template[];

class Engine extends Liquid {
  readonly #prepare: Prepare;

  constructor(prepare: Prepare, meter: Meter, options: LiquidOptions) {
    const partials = new Map<string, Template[]>();
    const keep = (name: string, parsed: Template[]) =>
      void partials.set(name, asPartial(prepare(parsed, this), this, meter));
    super({
      ...options,
      cache: {
        read: (name) => partials.get(name),
        // Nothing is parsed asynchronously here.
        write: (name, parsed) => keep(name, parsed as Template[]),
        remove: (name) => void partials.delete(name),
      },
    });
    this.#prepare = prepare;
  }

  override parse(text: string): Template[] {
    return this.#prepare(super.parse(text), this);
  }
}

/** What a text brings in, which may be itself: as deep as the meter allows. */
function asPartial(templates: Template[], { renderer }: Liquid, meter: Meter): Template[] {
  return asOne(templates, function* (context: Context, emitter: Emitter) {
    meter.enter();
    yield renderer.renderTemplates(templates, context, emitter);
    meter.leave();
  });
}

/** @param globals what the template and all its partials see
 * @throws {Error} liquidjs' own, with the place; or the meter's */
export function renderText(liquid: Liquid, templates: Template[], globals: object, meter: Meter): string {
  const limits = { sync: true, globals, renderLimit: meter.msLeft };
  const context = new DirectContext({}, liquid.options, limits, { liquid });
  const emitter = new TextEmitter();
  toValueSync(liquid.renderer.renderTemplates(templates, context, emitter));
  meter.spend(emitter.buffer.length);
  return emitter.buffer;
}

export class Engines {
  readonly partials: ReadonlyMap<string, SourceFile>;
  readonly meter: Meter;
  private readonly display: DisplayConfig;
  private readonly engines = new Map<Markup, Liquid>();

  constructor(display: DisplayConfig, meter: Meter, partials: ReadonlyMap<string, SourceFile>) {
    this.display = display;
    this.meter = meter;
    this.partials = partials;
  }

  /** @param text the template string, which decides whether a value in it may be all that there is */
  engineFor(markup: Markup, text: string): Liquid {
    const exact = (/^\s*\{[{%]/u.test(text) ? markup.ofWholeValue : undefined) ?? markup;
    const known = this.engines.get(exact);
    if (known !== undefined) return known;
    const engine = this.createFor(exact);
    this.engines.set(exact, engine);
    return engine;
  }

  private createFor(markup: Markup): Liquid {
    const partials = Object.fromEntries([...this.partials].map(([name, file]) => [name, file.text]));
    return createEngine({ markup, display: this.display, meter: this.meter, partials });
  }
}
