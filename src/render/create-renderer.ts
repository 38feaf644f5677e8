/** Puts the stage together: templates read and compiled once, then one message for each notice and target. */
import type { ComposeContext, MessageFormat } from '../channels/format.ts';
import type { DisplayConfig, PlaceInConfig } from '../config/config.ts';
import { checkTemplates } from './templates/check.ts';
import { completeParts } from './templates/complete-parts.ts';
import { isAlert, type Notice } from '../notice/notice.ts';
import { createLinks } from './view/links.ts';
import type { Links } from './view/links.ts';
import { Meter, OUT_OF_TIME } from './liquid/meter.ts';
import { type NoticeView, viewOf } from './view/notice-view.ts';
import { plainParts } from './plain-message.ts';
import type { Renderer, RenderTarget, TemplateFailure, TemplateSources } from './renderer.ts';
import type { Template } from './templates/template.ts';
import { TemplateFault } from './templates/template-fault.ts';
import { TemplateCatalog } from './templates/catalog.ts';
import type { Choice } from './templates/catalog.ts';
import { readTemplateFolder, type TemplateFolder } from './templates/files.ts';

export interface RendererOptions {
  readonly display: DisplayConfig;
  /** The folder of the sets that come with the program. */
  readonly builtInTemplates: string;
  /** The user's own sets, over the built-in ones. */
  readonly templatesFolder?: string | undefined;
  readonly formats: readonly MessageFormat[];
  /** Where problems of `display.links` stand. */
  readonly placeInConfig?: PlaceInConfig | undefined;
}

const NO_FOLDER: TemplateFolder = { sets: new Map(), problems: [] };

/**
 * Reads every template; each is compiled once, when it is first used. Faults of the user's templates are for `check`;
 * rendering goes around them.
 * @throws {Error} where a built-in template is missing
 */
export function createRenderer(options: RendererOptions): Renderer {
  const { display, builtInTemplates, templatesFolder, formats, placeInConfig } = options;
  const names = formats.map(({ name }) => name);
  const builtIn = readTemplateFolder(builtInTemplates, names);
  const own = templatesFolder === undefined ? NO_FOLDER : readTemplateFolder(templatesFolder, names);
  return rendererOf({ display, builtIn, own }, formats, placeInConfig);
}

/** Of templates that another renderer has read: the two render alike, whatever becomes of the files. */
export function rendererOf(
  sources: TemplateSources,
  formats: readonly MessageFormat[],
  placeInConfig?: PlaceInConfig,
): Renderer {
  const { display } = sources;
  const meter = new Meter();
  const catalog = new TemplateCatalog({ ...sources, formats, meter });
  const links = createLinks(display, placeInConfig);
  const stage: Stage = { display, formats, meter, catalog, links };
  return {
    sources,
    render: (notice, target, onFailure) => render(stage, { notice, target, onFailure }),
    check: (targets) => checkTemplates({ display, formats, catalog, links, meter }, targets),
  };
}

interface Stage {
  readonly display: DisplayConfig;
  readonly formats: readonly MessageFormat[];
  readonly meter: Meter;
  readonly catalog: TemplateCatalog;
  readonly links: Links;
}

interface Order {
  readonly notice: Notice;
  readonly target: RenderTarget;
  readonly onFailure: (failure: TemplateFailure) => void;
}

function render(stage: Stage, { notice, target, onFailure }: Order): unknown {
  const { display, formats } = stage;
  const format = formats.find(({ name }) => name === target.format);
  if (format === undefined) throw new Error(`the renderer was made without the format "${target.format}"`);
  const { language } = display;
  const name = notice.template;
  const context = { language, options: target.options, isError: name === 'error' || isAlert(notice) };
  const view = viewOf(notice, display, stage.links);
  const choice = stage.catalog.choose(target.templateSet, format.name, name);
  for (const template of templatesOf(choice)) {
    const tried = tryTemplate(stage, { template, choice, format, view, context });
    if (tried.failure === undefined) return tried.message;
    const set = target.templateSet ?? language;
    onFailure({ set, format: format.name, template: name, message: tried.failure });
  }
  return format.compose(plainParts(notice, format, language), context);
}

function templatesOf(choice: Choice): readonly Template[] {
  return choice.chosen === choice.builtIn ? [choice.builtIn] : [choice.chosen, choice.builtIn];
}

interface Trial {
  readonly template: Template;
  readonly choice: Choice;
  readonly format: MessageFormat;
  readonly view: NoticeView;
  readonly context: ComposeContext;
}

interface Tried {
  readonly message?: unknown;
  readonly failure?: string;
}

/** A busy machine may stop the process for longer than a message may take; a good template must not fail for that. */
function tryTemplate(stage: Stage, trial: Trial): Tried {
  const first = tryOnce(stage, trial);
  return first.failure?.includes(OUT_OF_TIME) === true ? tryOnce(stage, trial) : first;
}

function tryOnce({ meter }: Stage, { template, choice, format, view, context }: Trial): Tried {
  try {
    meter.start();
    const parts = template.render(view);
    return { message: format.compose(completeParts(parts, format, choice.builtIn, view), context) };
  } catch (error) {
    return { failure: describe(error) };
  }
}

function describe(error: unknown): string {
  if (error instanceof TemplateFault) return error.describe();
  return error instanceof Error ? error.message : String(error);
}
