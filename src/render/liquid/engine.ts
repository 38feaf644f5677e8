/** One Liquid engine for each kind of text; nothing in it reads files or runs without bounds. */
import { Context, Liquid, toValueSync } from 'liquidjs';
import type { Template } from 'liquidjs';
import type { Markup } from '../../channels/markup.ts';
import type { DisplayConfig } from '../../config/config.ts';
import { captureTagOf } from './capture-tag.ts';
import { directOperators } from './direct-operators.ts';
import { DirectRenderer } from './direct-renderer.ts';
import { registerFilters } from './filters.ts';
import type { Meter } from './meter.ts';
import { createPrinter, printerByPosition } from './print-value.ts';

/** Objects that one rendering may create, in liquidjs' own count. */
const MEMORY_LIMIT = 1_000_000;

/** Characters of one template string with all its partials. */
const PARSE_LIMIT = 500_000;

export interface EngineOptions {
  readonly markup: Markup;
  readonly display: DisplayConfig;
  readonly meter: Meter;
  /** Texts that `{% render "name" %}` and `{% layout "name" %}` find, by name. */
  readonly partials: Readonly<Record<string, string>>;
}

export function createEngine({ markup, display, meter, partials }: EngineOptions): Liquid {
  const printer = createPrinter(markup, display.language, meter);
  const liquid = new Liquid({
    // liquidjs would find "constructor" among the members that every object has.
    templates: Object.assign(Object.create(null) as object, partials),
    cache: true,
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables: false,
    outputEscape: printer.print,
    operators: directOperators,
    timezoneOffset: display.timezone,
    locale: display.language,
    memoryLimit: MEMORY_LIMIT,
    parseLimit: PARSE_LIMIT,
  });
  registerFilters(liquid, printer, display);
  liquid.registerTag('capture', captureTagOf(markup));
  // Also what liquidjs' own tags call for what is inside them.
  Object.assign(liquid, { renderer: new DirectRenderer(liquid, printerByPosition(markup, meter)) });
  return liquid;
}

/** @param globals what the template and all its partials see
 * @throws {Error} liquidjs' own, with the place; or the meter's */
export function renderText(liquid: Liquid, templates: Template[], globals: object, meter: Meter): string {
  // liquidjs exports no name for what it asks for.
  const renderLimit = meter as unknown as Context['renderLimit'];
  const context = new Context({}, liquid.options, { globals, sync: true }, { renderLimit, liquid });
  const text = String(toValueSync(liquid.renderer.renderTemplates(templates, context)));
  meter.spend(text.length);
  return text;
}
