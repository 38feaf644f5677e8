/** What the other stages see of rendering: a notice and a destination in, a composed message out. */
import type { Callback, StatusName } from '../callback/callback.ts';
import type { OldMessageFormat as MessageFormat, RenderedParts } from '../channels/channel.ts';
import type { Language } from '../time/display.ts';
import type { DisplayConfig, PlaceInConfig, Problem } from '../config/config.ts';
import { alertInWords } from '../notice/alert-text.ts';
import { isAlert, type Notice, type TemplateName } from '../notice/notice.ts';
import { cleanLine } from '../text/clean.ts';
import { endsOf } from '../text/cut.ts';
import { Meter, OUT_OF_TIME } from './liquid/print-value.ts';
import {
  readTemplateFolder,
  type RenderTarget,
  TemplateCatalog,
  type TemplateFolder,
  type TemplateSources,
} from './templates/catalog.ts';
import { checkTemplates, checkTemplatesInTurns } from './templates/check.ts';
import { completeParts, TemplateFault } from './templates/template.ts';
import { createLinks, type Links } from './view/links.ts';
import { viewOf } from './view/view.ts';

/** A template that failed while rendering a real notice. */
export interface TemplateFailure {
  readonly set: string;
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

const NO_FOLDER: TemplateFolder = { sets: new Map(), problems: [] };

/**
 * Reads every template; each is compiled once, when it is first used. Faults of the user's templates are for `check`;
 * rendering goes around them.
 * @throws {Error} where a built-in template is missing
 */
export function createRenderer(options: RendererOptions): Renderer {
  const { display, builtInTemplates, templatesFolder, formats, placeInConfig } = options;
  const { readOwn = readTemplateFolder } = options;
  const names = formats.map(({ name }) => name);
  const builtIn = readTemplateFolder(builtInTemplates, names);
  const own = templatesFolder === undefined ? NO_FOLDER : readOwn(templatesFolder, names);
  return new Renderer({ display, builtIn, own }, formats, placeInConfig);
}

export class Renderer {
  readonly sources: TemplateSources;
  readonly #formats: readonly MessageFormat[];
  readonly #meter = new Meter();
  readonly #catalog: TemplateCatalog;
  readonly #links: Links;

  /** @param sources of templates that another renderer has read, the two render alike, whatever becomes of the files */
  constructor(sources: TemplateSources, formats: readonly MessageFormat[], placeInConfig?: PlaceInConfig) {
    this.sources = sources;
    this.#formats = formats;
    this.#catalog = new TemplateCatalog({ ...sources, formats, meter: this.#meter });
    this.#links = createLinks(sources.display, placeInConfig);
  }

  /**
   * Never throws for foreign text or a failing user template: the built-in template is used then, and `onFailure` told.
   */
  render(notice: Notice, target: RenderTarget, onFailure: (failure: TemplateFailure) => void): unknown {
    const format = this.#formats.find(({ name }) => name === target.format);
    if (format === undefined) throw new Error(`the renderer was made without the format "${target.format}"`);
    const { display } = this.sources;
    const { language } = display;
    const name = notice.template;
    // A test is nothing that anybody has to be called for.
    const isError = name === 'error' || (isAlert(notice) && name !== 'test');
    const context = { language, options: target.options, isError };
    const view = viewOf(notice, display, this.#links);
    const { chosen, builtIn } = this.#catalog.choose(target.templateSet, format.name, name);
    for (const template of new Set([chosen, builtIn])) {
      const compose = () =>
        format.compose(completeParts(template.render(view), format, builtIn, view), context);
      const tried = this.#try(compose);
      if (tried.failure === undefined) return tried.message;
      const set = target.templateSet ?? language;
      onFailure({ set, format: format.name, template: name, message: tried.failure });
    }
    return format.compose(plainParts(notice, format, language), context);
  }

  /** The folders of templates that there are, the user's own among them. */
  get templateSets(): readonly string[] {
    return this.#catalog.setNames;
  }

  /** The same templates, with another language's in place of the display's. */
  inLanguage(language: Language): Renderer {
    const { display } = this.sources;
    return new Renderer({ ...this.sources, display: { ...display, language } }, this.#formats);
  }

  /** Every problem of the template files that `targets` use, with its place. */
  check(targets: readonly RenderTarget[]): Problem[] {
    return checkTemplates({ catalog: this.#catalog, links: this.#links }, targets);
  }

  /** The same, with a turn for everybody else after each template. */
  checkInTurns(targets: readonly RenderTarget[]): Promise<Problem[]> {
    return checkTemplatesInTurns({ catalog: this.#catalog, links: this.#links }, targets);
  }

  /** A busy machine may stop the process for longer than a message may take; a good template must not fail for that. */
  #try(compose: () => unknown): Tried {
    const first = this.#tryOnce(compose);
    return first.failure?.includes(OUT_OF_TIME) === true ? this.#tryOnce(compose) : first;
  }

  #tryOnce(compose: () => unknown): Tried {
    try {
      this.#meter.start();
      return { message: compose() };
    } catch (error) {
      return { failure: describe(error) };
    }
  }
}

/** Each is made when it is first asked for, of the same files. */
export function renderersByLanguage(renderer: Renderer): (language: Language | undefined) => Renderer {
  const { display } = renderer.sources;
  const made = new Map<Language, Renderer>([[display.language, renderer]]);
  return (language = display.language) => {
    const one = made.get(language) ?? renderer.inLanguage(language);
    made.set(language, one);
    return one;
  };
}

interface Tried {
  readonly message?: unknown;
  readonly failure?: string;
}

function describe(error: unknown): string {
  if (error instanceof TemplateFault) return error.describe();
  return error instanceof Error ? error.message : String(error);
}

/** Together, with every character escaped to five, still within what a Slack notification line takes. */
const MAX_MESSAGE_LENGTH = 400;
const MAX_NAME_LENGTH = 100;

const WORDS: Readonly<Record<Language, Readonly<Record<StatusName, string>>>> = {
  en: { succeeded: '✅ Succeeded', error: '❌ Failed', executing: '▶️ Running' },
  ja: { succeeded: '✅ 成功', error: '❌ エラー', executing: '▶️ 実行中' },
};

/** The message of last resort, made without any template: what happened to which BOT, or to which message. */
function plainParts(notice: Notice, format: MessageFormat, language: Language): RenderedParts {
  const text = isAlert(notice)
    ? `${notice.template === 'test' ? '🧪' : '⚠️'} ${cleanLine(endsOf(alertInWords(notice.alert.subject, language), MAX_MESSAGE_LENGTH))}`
    : plainText(notice.callback, WORDS[language][notice.template]);
  return Object.fromEntries(
    Object.entries(format.parts)
      .filter(([, part]) => part.kind === 'string' && part.mayBeLeftOut !== true)
      .map(([name]) => [name, format.markupOf([name], text).escape(text)]),
  );
}

function plainText(callback: Callback, words: string): string {
  const message = cleanLine(endsOf(callback.message ?? '', MAX_MESSAGE_LENGTH));
  const name = cleanLine(endsOf(callback.bot_name, MAX_NAME_LENGTH));
  return `${words}: ${name}${message === '' ? '' : ` – ${message}`}`;
}
