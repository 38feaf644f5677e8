/** Reads `routes` and `default_route`, and whom their `notify` lists tell. */
import { isJsonObject } from '../text/json-object.ts';
import type { Schema } from 'yup';
import { ALL_STATUSES } from '../callback/callback.ts';
import { doubtOfBotId, matchesEverything } from './bot-id-pattern.ts';
import { checkSection } from './check-section.ts';
import type { RouteConfig, Destination } from './config.ts';
import { didYouMean } from '../text/nearest.ts';
import type { Problems } from './problems.ts';
import { pathText, type Path } from './path.ts';
import { DestinationList, type Directory, listAt } from './read-destinations.ts';
import { defaultRouteSchema, routeSchema, type RouteSection } from './schema.ts';

interface RouteContext {
  readonly directory: Directory;
  /** Names that `template_set` may take; the folders that are there. */
  readonly templateSets: readonly string[];
  readonly problems: Problems;
}

/** The routes that are right; what is wrong with the others is in the problems. */
export function readRoutes(value: unknown, context: RouteContext): RouteConfig[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    context.problems.error(['routes'], 'must be a list: begin each route with "- bot_id:"');
    return [];
  }
  return value.flatMap((route, index) => readRoute(route, ['routes', index], routeSchema, context) ?? []);
}

export function readDefaultRoute(value: unknown, context: RouteContext): RouteConfig | undefined {
  if (value === undefined || value === null) return undefined;
  return readRoute(value, ['default_route'], defaultRouteSchema, context);
}

function readRoute(
  value: unknown,
  path: Path,
  schema: Schema<RouteSection>,
  context: RouteContext,
): RouteConfig | undefined {
  const { problems, directory } = context;
  const route = checkSection(schema, value, path, problems);
  // Read even where the rest is wrong, so that everything is said at once.
  const notifyPath = [...path, 'notify'];
  const hasNotify = isJsonObject(value) && value['notify'] !== undefined && value['notify'] !== null;
  const notify = hasNotify ? readNotify(value['notify'], notifyPath, directory, problems) : [];
  if (!route) return undefined;
  const botIds = [route.bot_id ?? []].flat();
  checkBotIds(botIds, [...path, 'bot_id'], Array.isArray(route.bot_id), problems);
  checkDuplicates(route.on, [...path, 'on'], problems);
  checkTemplateSet(route.template_set, [...path, 'template_set'], context);
  return {
    name: pathText(path),
    botIds,
    on: ALL_STATUSES.filter((status) => route.on.includes(status)),
    notify,
    templateSet: route.template_set,
    place: problems.placeOfKey(path),
  };
}

function checkBotIds(botIds: readonly string[], path: Path, isList: boolean, problems: Problems): void {
  checkDuplicates(botIds, path, problems);
  for (const [index, pattern] of botIds.entries()) {
    const at = isList ? [...path, index] : path;
    const doubt = doubtOfBotId(pattern);
    if (doubt !== undefined) problems.warning(at, doubt);
    if (matchesEverything(pattern))
      problems.warning(at, 'matches every BOT, which leaves nothing to default_route');
  }
}

function checkDuplicates(items: readonly string[], path: Path, problems: Problems): void {
  for (const [index, item] of items.entries()) {
    if (items.indexOf(item) < index)
      problems.error([...path, index], 'is a duplicate: this list has it already');
  }
}

function checkTemplateSet(
  name: string | undefined,
  path: Path,
  { templateSets, problems }: RouteContext,
): void {
  if (name === undefined || templateSets.includes(name)) return;
  const hint = didYouMean(name, templateSets) || `; there are: ${templateSets.join(', ')}`;
  problems.error(path, `: there is no template set ${problems.shown(path, name)}${hint}`);
}

/**
 * The destinations in their order; the first entry that names one gives its options. An empty list is meant: nobody,
 * not even default_route.
 */
function readNotify(value: unknown, path: Path, directory: Directory, problems: Problems): Destination[] {
  const list = new DestinationList(directory, problems);
  for (const [index, entry] of listAt(value, path, '[operators, { slack: "#ops" }]', problems).entries()) {
    const at = [...path, index];
    if (typeof entry === 'string') list.addGroup(entry, at);
    else if (isJsonObject(entry)) list.addEntry(entry, at);
    else problems.error(at, 'must be the name of a group, or an address such as { slack: "#ops" }');
  }
  return list.destinations();
}

/** Groups told of what Botbell itself has to say. */
export function readAlerts(
  names: readonly string[],
  directory: Directory,
  problems: Problems,
): Destination[] {
  const list = new DestinationList(directory, problems);
  for (const [index, name] of names.entries()) list.addGroup(name, ['delivery', 'alerts', index]);
  return list.destinations();
}
