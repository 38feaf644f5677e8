/** Everything that is wrong with the templates which a config uses, found before anything is sent. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MessageFormat } from '../channels/channel.ts';
import type { Problem } from '../config/config.ts';
import { TEMPLATE_NAMES, type TemplateName } from '../notice/notice.ts';
import { cardOf } from './card-template.ts';
import type { Choice, RenderTarget, TemplateCatalog } from './catalog.ts';
import { Rendering } from './engine.ts';
import type { Links } from './links.ts';
import { samplesOf } from './samples.ts';
import { type Template, TemplateFault } from './template.ts';
import { problemWith } from './template-folder.ts';
import { type NoticeView, viewOf } from './view.ts';

interface CheckContext {
  readonly catalog: TemplateCatalog;
  readonly formats: readonly MessageFormat[];
  readonly links: Links;
}

/** Each problem once, however many targets share the template; with a turn for everybody else after each. */
export async function checkTemplates(
  context: CheckContext,
  targets: readonly RenderTarget[],
): Promise<Problem[]> {
  const { catalog, formats, links } = context;
  const { own, builtIn } = catalog.sources;
  const problems = new Map<string, Problem>();
  const report = (found: readonly Problem[]) => {
    for (const problem of found) problems.set(JSON.stringify(problem), problem);
  };
  report([...links.problems, ...own.problems, ...builtIn.problems]);
  const checked = new Set<Template>();
  for (const target of targets) {
    report(checkSet(catalog, target));
    const format = formats.find(({ name }) => name === target.format);
    // The built-in ones are held to all of this by the tests.
    if (format === undefined || own.files.size === 0) continue;
    for (const name of TEMPLATE_NAMES) {
      const choice = catalog.choose(target, format, name);
      for (const template of new Set([choice.own, choice.card])) {
        if (template === undefined || template === choice.builtIn || checked.has(template)) continue;
        checked.add(template);
        report(checkTemplate(context, template, { format, name, choice }));
        await nextTurn();
      }
    }
  }
  return [...problems.values()];
}

function checkSet(catalog: TemplateCatalog, { templateSet, place }: RenderTarget): readonly Problem[] {
  const message = templateSet === undefined ? undefined : catalog.missingSet(templateSet);
  if (message === undefined) return [];
  return [
    place === undefined ? problemWith('templates', 'error', message) : { place, message, severity: 'error' },
  ];
}

interface Checked {
  readonly format: MessageFormat;
  readonly name: TemplateName;
  readonly choice: Choice;
}

function checkTemplate(
  { catalog, links }: CheckContext,
  template: Template,
  how: Checked,
): readonly Problem[] {
  const isOwn = how.choice.own === template;
  const display = { ...catalog.sources.display, language: template.language };
  const views = samplesOf(how.name).map((sample) => viewOf(sample, display, links));
  const names = [...Object.keys(views[0] ?? {}), ...(isOwn ? ['drawn'] : [])];
  const problems = [...template.problems, ...template.findUnknownVariables(names)];
  if (template.problems.length > 0) return problems;
  return [...problems, ...views.flatMap((view) => faultsWith(template, view, isOwn ? how : undefined))];
}

/** Much more than a message may take: a busy machine may stop the process for longer, and good templates must not fail for that. */
const LIMIT_MS = 5000;

/** @param own where it is a channel's own message, not a card */
function faultsWith(template: Template, view: NoticeView, own: Checked | undefined): readonly Problem[] {
  try {
    if (own !== undefined) return messageFaults(template, view, own);
    template.render(new Rendering(view, LIMIT_MS));
    return [];
  } catch (error) {
    if (error instanceof TemplateFault) return [error.problem];
    throw error;
  }
}

function messageFaults(template: Template, view: NoticeView, { format, name, choice }: Checked) {
  const { own } = format;
  if (own === undefined) return [];
  const { builtIn } = choice;
  const parts = builtIn.render(new Rendering(view, Infinity));
  const card = cardOf(parts, { name, language: builtIn.language, view });
  const rendered = template.renderOwn(new Rendering(view, LIMIT_MS), own, card);
  return own.inspect(rendered).map(({ path, message }) => template.problemAt(path, message));
}
