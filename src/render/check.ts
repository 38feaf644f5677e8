/** Finds the problems of the templates that a config uses before anything is sent. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Problem } from '../config/config.ts';
import { TEMPLATE_NAMES, type TemplateName } from '../notice/notice.ts';
import { cardOf } from './card-template.ts';
import type { Choice, RenderTarget, TemplateCatalog } from './catalog.ts';
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
  const { own, builtIn } = catalog.sources;
  const problems = [...links.problems, ...own.problems, ...builtIn.problems];
  const checked = new Set<Template>();
  // The tests check the built-in templates.
  const isOfUser = ({ format }: Pick<RenderTarget, 'format'>) => own.files.size > 0 || format.templateAt;
  for (const target of [...targets].filter(isOfUser))
    for (const name of TEMPLATE_NAMES) {
      const choice = catalog.choose(target, name);
      for (const template of new Set([choice.own, choice.card])) {
        if (template === undefined || template === choice.builtIn || checked.has(template)) continue;
        checked.add(template);
        problems.push(...checkTemplate(template, { target, name, choice, catalog, links }));
        await nextTurn();
      }
    }
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

interface CheckContext {
  readonly target: Pick<RenderTarget, 'format'>;
  readonly name: TemplateName;
  readonly choice: Choice;
  readonly catalog: TemplateCatalog;
  readonly links: Links;
}

/** Far more than a message may take: a busy machine may pause the process, and a good template must not fail the check for that. */
const LIMIT_MS = 5000;

function checkTemplate(
  template: Template,
  { target, name, choice: { own, builtIn }, catalog, links }: CheckContext,
): readonly Problem[] {
  const messages = own === template ? target.format.own : undefined;
  const display = { ...catalog.sources.display, language: template.language };
  const views = samplesOf(name).map((sample) => viewOf(sample, display, links));
  // A template that shows the card is that of every notice.
  const isOfAll = messages?.showsCard === true;
  const shown = isOfAll ? TEMPLATE_NAMES.flatMap((each) => samplesOf(each).slice(0, 1)) : [];
  const variables = [...views, ...shown.map((sample) => viewOf(sample, display, links))].flatMap(Object.keys);
  const names = [...variables, ...(messages === undefined ? [] : [isOfAll ? 'card' : 'drawn'])];
  const problems = [...template.problems, ...template.findUnknownVariables(names)];
  if (template.problems.length > 0) return problems;
  const faultsWith = (view: NoticeView): readonly Problem[] => {
    const { language } = builtIn;
    const card = messages && cardOf(builtIn.render(view, Infinity), { name, language, view });
    try {
      const parts = template.render(view, LIMIT_MS, card);
      return (messages?.inspect(parts) ?? []).map(({ path, message }) => template.problemAt(path, message));
    } catch (error) {
      if (error instanceof TemplateFault) return [error.problem];
      throw error;
    }
  };
  return [...problems, ...views.flatMap(faultsWith)];
}
