/** JSON that is no callback, with everything that is wrong with it. */

/** One thing wrong, at a JSON pointer (RFC 6901); a missing field by the pointer it would have. */
export interface CallbackError {
  readonly pointer: string;
  readonly detail: string;
}

export class InvalidCallback extends Error {
  override readonly name = 'InvalidCallback';
  readonly errors: readonly CallbackError[];

  constructor(errors: readonly CallbackError[]) {
    super(`Not a callback: ${errors.map(({ pointer, detail }) => `${pointer} ${detail}`.trim()).join('; ')}`);
    this.errors = errors;
  }
}
