/** What one message may cost: time, characters that values print into it, and partials inside each other. */

/** A message of the built-in templates takes far less than a millisecond. */
const MAX_RENDER_MS = 250;

/** Values and whole strings, so twice what is printed; beyond what any channel takes. */
const MAX_CHARACTERS = 2_000_000;

/** As Ruby's Liquid has it, and more than any callback is nested; what is deeper is a text that brings in itself. */
export const MAX_DEPTH = 100;

/** In liquidjs' words. */
export const OUT_OF_TIME = 'template render limit exceeded';

/** Started anew for each message; rendering is synchronous, so one meter serves one message at a time. */
export class Meter {
  /** Of what all values of the message may take, in the unit of their markup; undefined before the first one. */
  roomLeft: number | undefined;
  private charactersLeft = 0;
  private deadline = 0;
  private depth = 0;

  start(): void {
    this.depth = 0;
    this.roomLeft = undefined;
    this.charactersLeft = MAX_CHARACTERS;
    this.deadline = performance.now() + MAX_RENDER_MS;
  }

  /** For what liquidjs looks at its own clock before. */
  get msLeft(): number {
    return this.deadline - performance.now();
  }

  /** @throws {Error} when the message has had its time */
  checkTime(): void {
    if (this.msLeft < 0) throw new Error(OUT_OF_TIME);
  }

  /**
   * What one text brings into another, a partial or a layout, begins; `leave` ends it.
   * @throws {Error} when it is so deep that it must be one that renders itself
   */
  enter(): void {
    if (this.depth === MAX_DEPTH) throw new Error(`partials render each other more than ${MAX_DEPTH} deep`);
    this.depth += 1;
  }

  leave(): void {
    this.depth -= 1;
  }

  /** @throws {Error} when the message is longer than any channel takes */
  spend(characters: number): void {
    this.charactersLeft -= characters;
    if (this.charactersLeft < 0) {
      throw new Error('the message is longer than any channel takes');
    }
  }
}
