/** Everything that is wrong with the templates which a config uses, found before anything is sent. */
import type { MessageFormat, RenderedParts } from '../../channels/format.ts';
import type { DisplayConfig, Problem } from '../../config/config.ts';
import { type Notice, TEMPLATE_NAMES, type TemplateName } from '../../notice/notice.ts';
import type { Links } from '../view/links.ts';
import type { Meter } from '../liquid/meter.ts';
import { type NoticeView, viewOf } from '../view/notice-view.ts';
import type { RenderTarget } from '../renderer.ts';
import { samplesOf } from './samples.ts';
import type { Template } from './template.ts';
import { TemplateFault } from './template-fault.ts';
import type { Choice, TemplateCatalog } from './catalog.ts';
import { problemWith } from './files.ts';
import { completeParts } from './complete-parts.ts';

/** A busy machine may stop the process for longer than a template may take; good templates must not fail for that. */
const MOST_ATTEMPTS = 3;

export interface CheckContext {
  readonly display: DisplayConfig;
  readonly formats: readonly MessageFormat[];
  readonly catalog: TemplateCatalog;
  readonly links: Links;
  readonly meter: Meter;
}

/** Each problem once, however many targets share the template. */
export function checkTemplates(context: CheckContext, targets: readonly RenderTarget[]): Problem[] {
  const problems = [
    ...context.links.problems,
    ...context.catalog.problems,
    ...targets.flatMap((target) => checkSet(context, target)),
    ...targets.flatMap((target) => checkTarget(context, target)),
  ];
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

function checkSet({ catalog }: CheckContext, { templateSet, place }: RenderTarget): readonly Problem[] {
  const message = templateSet === undefined ? undefined : catalog.missingSet(templateSet);
  if (message === undefined) return [];
  return [
    place === undefined ? problemWith('templates', 'error', message) : { place, message, severity: 'error' },
  ];
}

function checkTarget(context: CheckContext, { format: name, templateSet }: RenderTarget): readonly Problem[] {
  const format = context.formats.find((each) => each.name === name);
  if (format === undefined) return [];
  return TEMPLATE_NAMES.flatMap((template) =>
    checkChoice(context, context.catalog.choose(templateSet, name, template), format, template),
  );
}

function checkChoice(
  context: CheckContext,
  choice: Choice,
  format: MessageFormat,
  name: TemplateName,
): readonly Problem[] {
  // The built-in ones are held to all of this by the tests.
  if (choice.chosen === choice.builtIn) return [];
  const problems = choice.chosen.findProblems();
  if (choice.chosen.isBroken) return problems;
  return [...problems, ...samplesOf(name).flatMap((sample) => checkSample(context, choice, format, sample))];
}

function checkSample(
  context: CheckContext,
  choice: Choice,
  format: MessageFormat,
  sample: Notice,
): readonly Problem[] {
  const view = viewOf(sample, context.display, context.links);
  try {
    const parts = renderPatiently(context, choice, view);
    return inspectParts(completeParts(parts, format, choice.builtIn, view), choice.chosen, format);
  } catch (error) {
    return [failureProblem(error, choice.chosen)];
  }
}

/** @throws {Error} whatever keeps the template from being rendered every time */
function renderPatiently({ meter }: CheckContext, { chosen }: Choice, view: NoticeView): RenderedParts {
  for (let attempt = 1; ; attempt += 1) {
    meter.start();
    try {
      return chosen.render(view);
    } catch (error) {
      if (attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

/** Parts that are not composed yet still stand where the template has them, so that faults can be placed. */
function inspectParts(parts: RenderedParts, template: Template, format: MessageFormat): readonly Problem[] {
  return format
    .inspect(parts)
    .map(({ path, message }): Problem => ({ place: template.placeOf(path), message, severity: 'error' }));
}

function failureProblem(error: unknown, template: Template): Problem {
  const place = error instanceof TemplateFault ? error.place : template.placeOf([]);
  return { place, message: error instanceof Error ? error.message : String(error), severity: 'error' };
}
