/** Why a template could not be rendered, and where that stands. */
import type { Place } from '../../config/config.ts';

export class TemplateFault extends Error {
  override readonly name = 'TemplateFault';
  readonly place: Place;

  constructor(place: Place, message: string, options?: ErrorOptions) {
    super(message, options);
    this.place = place;
  }

  /** `file:line:column: what is wrong`, on one line. */
  describe(): string {
    const { file, line, column } = this.place;
    return `${file}:${line}:${column}: ${this.message}`;
  }
}
