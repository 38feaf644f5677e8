/** What the other stages see of rendering: a notice and a destination in, a composed message out. */
import type { Card } from '../channels/card.ts';
import type { MessageFormat, RenderedParts } from '../channels/channel.ts';
import type { DisplayConfig, PlaceInConfig, Problem } from '../config/config.ts';
import { isAlert, type Notice, type TemplateName } from '../notice/notice.ts';
import { cardOf } from './card-template.ts';
import { type Choice, type ChosenTemplate, type RenderTarget, TemplateCatalog } from './catalog.ts';
import { checkTemplates } from './check.ts';
import { Rendering } from './engine.ts';
import { lastResort } from './last-resort.ts';
import { createLinks, type Links } from './links.ts';
import { placeDrawn, renderOwn } from './own-message.ts';
import type { Language } from '../time/display.ts';
import { TemplateFault } from './template.ts';
import { NO_FOLDER, readTemplateFolder, type TemplateFolder } from './template-folder.ts';
import { type NoticeView, viewOf } from './view.ts';

/** A template that failed while rendering a real notice. */
export interface TemplateFailure {
  readonly format: string;
  readonly template: TemplateName;
  /** What and where, for an operator; holds no text of the callback. */
  readonly message: string;
}

interface RendererOptions {
  readonly display: DisplayConfig;
  /** The folder of the sets that come with the program. */
  readonly builtInTemplates: string;
  /** The user's own sets, over the built-in ones. */
  readonly templatesFolder?: string | undefined;
  readonly formats: readonly MessageFormat[];
  /** Where problems of `display.links` stand. */
  readonly placeInConfig?: PlaceInConfig | undefined;
  /** `readTemplateFolder`, for whoever wants to know what is read of the user's own. */
  readonly readOwn?: (path: string, formatNames: readonly string[]) => TemplateFolder;
}

/**
 * Reads every template; each is compiled once, when it is first used. Faults of the user's templates are for `check`;
 * rendering goes around them.
 */
export function createRenderer(options: RendererOptions): Renderer {
  const { display, builtInTemplates, templatesFolder, formats, placeInConfig } = options;
  const { readOwn = readTemplateFolder } = options;
  const names = formats.map(({ name }) => name);
  const own = templatesFolder === undefined ? NO_FOLDER : readOwn(templatesFolder, names);
  const catalog = new TemplateCatalog({ display, builtIn: readTemplateFolder(builtInTemplates, names), own });
  return new Renderer(catalog, formats, createLinks(display, placeInConfig));
}

/** What rendering a template came to. */
type Outcome<Result> = { readonly result: Result } | { readonly failure: string };

/** What is worked out once for all destinations of a notice. */
interface Drawn {
  readonly views: Map<Language, NoticeView>;
  readonly cards: Map<ChosenTemplate, Outcome<Card>>;
  readonly messages: Map<ChosenTemplate, Outcome<RenderedParts>>;
}

export class Renderer {
  readonly #catalog: TemplateCatalog;
  readonly #formats: readonly MessageFormat[];
  readonly #links: Links;
  readonly #drawn = new WeakMap<Notice, Drawn>();

  constructor(catalog: TemplateCatalog, formats: readonly MessageFormat[], links: Links) {
    this.#catalog = catalog;
    this.#formats = formats;
    this.#links = links;
  }

  /**
   * Never throws for foreign text or a failing user template: the built-in card is drawn then, and `onFailure` told.
   */
  render(notice: Notice, target: RenderTarget, onFailure: (failure: TemplateFailure) => void): unknown {
    const format = this.#formats.find(({ name }) => name === target.format);
    if (format === undefined) throw new Error(`the renderer was made without the format "${target.format}"`);
    const { template } = notice;
    const choice = this.#catalog.choose(target, format, template);
    const report = (message: string) => onFailure({ format: format.name, template, message });
    const card = this.#cardOf(notice, choice, report);
    // A test is nothing that anybody has to be called for.
    const isError = template === 'error' || (isAlert(notice) && template !== 'test');
    const { options, destination = target.format } = target;
    const callback = isAlert(notice) ? undefined : notice.callback;
    const context = { options, isError, destination, template, at: happenedAt(notice), callback };
    const own = this.#ownMessage(notice, choice, format, card, report);
    for (const compose of [
      ...(own === undefined ? [] : [() => format.own?.compose(own, card, context)]),
      () => format.compose(card, context),
    ]) {
      const composed = tried(compose);
      if ('result' in composed) return composed.result;
      report(composed.failure);
    }
    return format.compose(lastResort(notice, card.language), context);
  }

  /** The folders of templates that there are, the user's own among them. */
  get templateSets(): readonly string[] {
    return this.#catalog.setNames;
  }

  /** Every problem of the template files that `targets` use, with its place; each template has a turn of its own. */
  check(targets: readonly RenderTarget[]): Promise<Problem[]> {
    return checkTemplates({ catalog: this.#catalog, formats: this.#formats, links: this.#links }, targets);
  }

  #cardOf(notice: Notice, { card, builtIn }: Choice, report: (failure: string) => void): Card {
    const { cards } = this.#drawnOf(notice);
    for (const chosen of new Set([card, builtIn])) {
      const { language, template } = chosen;
      const view = this.#viewOf(notice, language);
      const outcome = once(cards, chosen, () =>
        cardOf(template.render(new Rendering(view, chosen === builtIn ? { limitMs: Infinity } : {})), {
          name: notice.template,
          language,
          view,
        }),
      );
      if ('result' in outcome) return outcome.result;
      report(outcome.failure);
    }
    return lastResort(notice, builtIn.language);
  }

  /** Undefined: there is none, or it failed. */
  #ownMessage(
    notice: Notice,
    { own }: Choice,
    { own: messages }: MessageFormat,
    card: Card,
    report: (failure: string) => void,
  ): RenderedParts | undefined {
    if (own === undefined || messages === undefined) return undefined;
    const view = this.#viewOf(notice, own.language);
    const outcome = once(this.#drawnOf(notice).messages, own, () =>
      placeDrawn(renderOwn(own.template, messages, card, new Rendering(view)), messages, card, own.template),
    );
    if ('result' in outcome) return outcome.result;
    report(outcome.failure);
    return undefined;
  }

  #viewOf(notice: Notice, language: Language): NoticeView {
    const { views } = this.#drawnOf(notice);
    const display = { ...this.#catalog.sources.display, language };
    const view = views.get(language) ?? viewOf(notice, display, this.#links);
    views.set(language, view);
    return view;
  }

  #drawnOf(notice: Notice): Drawn {
    const drawn = this.#drawn.get(notice) ?? { views: new Map(), cards: new Map(), messages: new Map() };
    this.#drawn.set(notice, drawn);
    return drawn;
  }
}

/** Of a run, its end, so far as it is known. */
function happenedAt(notice: Notice): number {
  if (isAlert(notice)) return notice.alert.raisedAt;
  const seconds = notice.callback.elapsed_time ?? 0;
  return notice.startedAt + Math.round(seconds * 1000);
}

/** A template that fails, or takes too long, does so once for a notice. */
function once<Result>(
  outcomes: Map<ChosenTemplate, Outcome<Result>>,
  chosen: ChosenTemplate,
  make: () => Result,
): Outcome<Result> {
  const known = outcomes.get(chosen);
  if (known !== undefined) return known;
  const outcome = tried(make);
  outcomes.set(chosen, outcome);
  return outcome;
}

function tried<Result>(make: () => Result): Outcome<Result> {
  try {
    return { result: make() };
  } catch (error) {
    if (error instanceof TemplateFault) return { failure: error.describe() };
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}
