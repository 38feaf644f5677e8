/** The stage's face: a notice and a destination in, a composed message out. */
import type { DisplayConfig, Place, Problem } from '../config/config.ts';
import type { Notice, TemplateName } from '../notice/notice.ts';
import type { TemplateFolder } from './templates/files.ts';

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

/** A template that failed while rendering a real notice. */
export interface TemplateFailure {
  readonly set: string;
  readonly format: string;
  readonly template: TemplateName;
  /** What and where, for an operator; holds no text of the callback. */
  readonly message: string;
}

/** All that messages are made of beside the notice and the format; it can be cloned. */
export interface TemplateSources {
  readonly display: DisplayConfig;
  readonly builtIn: TemplateFolder;
  /** The user's own, over the built-in ones. */
  readonly own: TemplateFolder;
}

export interface Renderer {
  readonly sources: TemplateSources;
  /**
   * Never throws for foreign text or a failing user template: the built-in template is used then, and `onFailure` told.
   */
  render(notice: Notice, target: RenderTarget, onFailure: (failure: TemplateFailure) => void): unknown;
  /** Every problem of the template files that `targets` use, with its place. */
  check(targets: readonly RenderTarget[]): Problem[];
}
