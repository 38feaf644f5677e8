/** Finds the problems of the templates that a config uses before anything is sent. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Problem } from '../config/config.ts';
import { TEMPLATE_NAMES, type TemplateName } from '../notice/notice.ts';
import { cardOf } from './card-template.ts';
import type { RenderTarget, TemplateCatalog } from './catalog.ts';
import type { Links } from './links.ts';
import { samplesOf } from './samples.ts';
import { type Template, TemplateFault } from './template.ts';
import { type NoticeView, viewOf } from './view.ts';

/** Reports each problem once, even if targets share a template. Yields to the event loop after each template. */
export async function checkTemplates(
  catalog: TemplateCatalog,
  links: Links,
  targets: Iterable<Omit<RenderTarget, 'options'>>,
): Promise<Problem[]> {
  const { own } = catalog.sources;
  const problems = [...own.problems];
  const checked = new Set<Template>();
  // The tests check the built-in templates.
  const isOfUser = ({ format }: Pick<RenderTarget, 'format'>) => own.files.size > 0 || format.templateAt;
  for (const target of [...targets].filter(isOfUser))
    for (const name of TEMPLATE_NAMES) {
      const choice = catalog.choose(target, name);
      for (const template of [choice.own, choice.card]) {
        if (template === undefined || template === choice.builtIn || checked.has(template)) continue;
        checked.add(template);
        const display = { ...catalog.sources.display, language: template.language };
        const viewsOf = (of: TemplateName) => samplesOf(of).map((sample) => viewOf(sample, display, links));
        problems.push(...checkTemplate(template, name, viewsOf, choice.builtIn));
        await nextTurn();
      }
    }
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

/** Far more than a message may take: a busy machine may pause the process, and a good template must not fail the check for that. */
const LIMIT_MS = 5000;

function checkTemplate(
  template: Template,
  name: TemplateName,
  viewsOf: (name: TemplateName) => readonly NoticeView[],
  builtIn: Template,
): readonly Problem[] {
  const views = viewsOf(name);
  const { showsCard } = template;
  // A template that shows the card is used for every notice, so it may use the variables of all.
  const variables = (showsCard ? TEMPLATE_NAMES.flatMap(viewsOf) : views).flatMap(Object.keys);
  const { language } = builtIn;
  const cardFor = (view: NoticeView) =>
    showsCard ? cardOf(builtIn.render(view, Infinity), { name, language, view }) : undefined;
  const unknown = template.findUnknownVariables(variables, views[0] && cardFor(views[0]));
  const problems = [...template.problems, ...unknown];
  if (template.problems.length > 0) return problems;
  const faultsWith = (view: NoticeView): readonly Problem[] => {
    try {
      template.render(view, LIMIT_MS, cardFor(view));
      return [];
    } catch (error) {
      if (error instanceof TemplateFault) return [error.problem];
      throw error;
    }
  };
  return [...problems, ...views.flatMap(faultsWith)];
}
