/** The stage's face: a callback and a destination in, a composed message out. */
import type { Callback, StatusName } from '../callback/callback.ts';
import type { Place, Problem } from '../config/config.ts';

/** Which template to use and for whom. */
export interface RenderTarget {
  /** A `MessageFormat`'s name. */
  readonly format: string;
  /** Folder under `templates/`; undefined: the display language's set. */
  readonly templateSet: string | undefined;
  readonly options: Readonly<Record<string, unknown>>;
  /** Where the config asks for the set; `check` reports a set that does not exist there. */
  readonly place?: Place;
}

/** A template that failed while rendering a real callback. */
export interface TemplateFailure {
  readonly set: string;
  readonly format: string;
  readonly status: StatusName;
  /** What and where, for an operator; holds no text of the callback. */
  readonly message: string;
}

export interface Renderer {
  /**
   * Never throws for foreign text or a failing user template: the built-in template is used then, and `onFailure` told.
   * @param attempt 1 for the first time this callback was received, 2 for the service's first retry, …
   */
  render(
    callback: Callback,
    target: RenderTarget,
    attempt: number,
    onFailure: (failure: TemplateFailure) => void,
  ): unknown;
  /** Every problem of the template files that `targets` use, with its place. */
  check(targets: readonly RenderTarget[]): Problem[];
}
