/** Reads `routes` and `default_route`, and whom their `notify` lists tell. */
import { isJsonObject, type JsonObject } from '../text/json-object.ts';
import { botIdRule, doubtOfBotId } from './bot-id-pattern.ts';
import type { RouteConfig } from './config.ts';
import { nearestOrAll } from '../text/nearest.ts';
import { nameRule } from './field-rules.ts';
import type { Problems } from './problems.ts';
import { pathText, type Path } from './path.ts';
import { type Directory, readTargets } from './read-destinations.ts';
import { occasionsOf, rulesOf } from './read-rules.ts';
import type { RootSection, RouteSection } from './schema.ts';

export interface RouteContext {
  readonly directory: Directory;
  /** Names that `template_set` may take; the folders that are there. */
  readonly templateSets: readonly string[];
  readonly problems: Problems;
  readonly conditionFault: (condition: string) => ConditionFault | undefined;
}

/** What is wrong with a condition, at a line and column (from 1) of it. */
export interface ConditionFault {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/**
 * @param root as it was written, of which all is said that is wrong with its `notify` lists
 * @param sections as the schema passed them; undefined: it did not
 */
export function readRouting(
  root: JsonObject,
  sections: Pick<RootSection, 'routes' | 'default_route' | 'templates'> | undefined,
  context: RouteContext,
) {
  const written = Array.isArray(root['routes']) ? root['routes'] : [];
  const routes = written.flatMap((route, index) => {
    const path = ['routes', index];
    return readRoute(route, sections?.routes?.[index], path, context) ?? [];
  });
  checkNames(routes, context.problems);
  const path = ['default_route'];
  const defaultRoute = readRoute(root['default_route'], sections?.default_route, path, context);
  if ([root['routes'] ?? [], root['default_route'] ?? []].flat().length === 0)
    context.problems.errorInValue([], 'nobody would ever be told: add routes, or a default_route');
  return { templates: sections?.templates, routes, defaultRoute };
}

/** What no schema sees is looked for in what was written, so that everything is said at once. */
function readRoute(
  written: unknown,
  route: RouteSection | undefined,
  path: Path,
  context: RouteContext,
): RouteConfig | undefined {
  const { problems, directory } = context;
  const { notify = [], ...parts } = isJsonObject(written) ? written : {};
  checkParts(parts, path, context);
  const destinations = readTargets(notify ?? [], [...path, 'notify'], directory, problems);
  return (
    route && {
      name: route.name ?? pathText(path),
      botIds: [route.bot_id ?? []].flat(),
      on: occasionsOf(route),
      rules: rulesOf(route),
      notify: destinations,
      groups: [notify ?? []].flat().filter((entry) => typeof entry === 'string'),
      templateSet: route.template_set,
      place: problems.placeOfKey(path),
    }
  );
}

function checkParts(parts: JsonObject, path: Path, context: RouteContext): void {
  const { problems, conditionFault } = context;
  checkBotIds(parts['bot_id'], [...path, 'bot_id'], problems);
  checkDuplicates(parts['on'], [...path, 'on'], problems);
  for (const [index, entry] of [parts['mute'] ?? []].flat().entries())
    for (const [key, list] of Object.entries(isJsonObject(entry) ? entry : {}))
      checkDuplicates(list, [...path, 'mute', index, key], problems);
  const { when } = parts;
  const fault = typeof when === 'string' ? conditionFault(when) : undefined;
  if (fault !== undefined) problems.errorInString([...path, 'when'], fault, `: ${fault.message}`);
  checkTemplateSet(parts['template_set'], [...path, 'template_set'], context);
}

/** What was decided about a route is told by its name. */
function checkNames(routes: readonly RouteConfig[], problems: Problems): void {
  const names = ['default_route', ...routes.map(({ name }) => name)];
  for (const [position, name] of names.entries())
    if (names.indexOf(name) < position)
      problems.error(['routes', position - 1, 'name'], 'is a duplicate: another route is called so');
}

function checkBotIds(written: unknown, path: Path, problems: Problems): void {
  checkDuplicates(written, path, problems);
  for (const [index, pattern] of [written].flat().entries()) {
    if (typeof pattern !== 'string' || botIdRule(pattern) !== undefined) continue;
    const at = Array.isArray(written) ? [...path, index] : path;
    const doubt = doubtOfBotId(pattern);
    if (doubt !== undefined) problems.warning(at, doubt);
    if (/^\*+$/.test(pattern))
      problems.warning(at, 'matches every BOT, which leaves nothing to default_route');
  }
}

function checkDuplicates(written: unknown, path: Path, problems: Problems): void {
  const items: unknown[] = [written].flat();
  for (const [index, item] of items.entries())
    if (items.indexOf(item) < index)
      problems.error([...path, index], 'is a duplicate: this list has it already');
}

function checkTemplateSet(name: unknown, path: Path, { templateSets, problems }: RouteContext): void {
  if (typeof name !== 'string' || nameRule(name) !== undefined || templateSets.includes(name)) return;
  const hint = nearestOrAll(name, templateSets);
  problems.error(path, `: there is no template set ${problems.shown(path, name)}${hint}`);
}
