/** The engines of one template set and format: one for each markup, made when first needed, all with the same partials. */
import type { Liquid } from 'liquidjs';
import type { Markup } from '../../channels/markup.ts';
import type { DisplayConfig } from '../../config/config.ts';
import { createEngine } from './engine.ts';
import type { Meter } from './meter.ts';
import type { SourceFile } from '../templates/files.ts';

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
