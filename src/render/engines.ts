/** The engines of one template set and format: one for each landing, made when first needed, all with the same partials. */
import type { Liquid } from 'liquidjs';
import type { DisplayConfig } from '../config/config.ts';
import type { Landing } from '../text/landing.ts';
import { createEngine } from './engine.ts';
import type { Meter } from './meter.ts';
import type { PrintLanding } from './print-value.ts';
import type { SourceFile } from './template-files.ts';

export class Engines {
  readonly partials: ReadonlyMap<string, SourceFile>;
  readonly meter: Meter;
  private readonly display: DisplayConfig;
  private readonly engines = new Map<PrintLanding, Liquid>();

  constructor(display: DisplayConfig, meter: Meter, partials: ReadonlyMap<string, SourceFile>) {
    this.display = display;
    this.meter = meter;
    this.partials = partials;
  }

  /** @param text the template string, which decides whether a value in it can be an address as a whole */
  engineFor(landing: Landing, text: string): Liquid {
    const exact = landing === 'url' && /^\s*\{[{%]/u.test(text) ? 'whole-url' : landing;
    const known = this.engines.get(exact);
    if (known !== undefined) return known;
    const engine = this.createFor(exact);
    this.engines.set(exact, engine);
    return engine;
  }

  private createFor(landing: PrintLanding): Liquid {
    const partials = Object.fromEntries([...this.partials].map(([name, file]) => [name, file.text]));
    return createEngine({ landing, display: this.display, meter: this.meter, partials });
  }
}
