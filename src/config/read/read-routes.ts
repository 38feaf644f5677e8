/** Reads `routes` and `default_route`. */
import { isJsonObject } from '../../text/json-object.ts';
import type { Schema } from 'yup';
import { ALL_STATUSES } from '../../callback/callback.ts';
import { doubtOfBotId, matchesEverything } from '../bot-id-pattern.ts';
import { checkSection } from '../check/check-section.ts';
import type { RouteConfig } from '../config.ts';
import { didYouMean } from '../../text/nearest.ts';
import type { Findings } from '../findings.ts';
import { pathText, type Path } from '../path.ts';
import type { Directory } from './read-groups.ts';
import { readNotify } from './read-notify.ts';
import { defaultRouteSchema, routeSchema, type RouteSection } from '../schema/schema.ts';

export interface RouteContext {
  readonly directory: Directory;
  /** Names that `template_set` may take; the folders that are there. */
  readonly templateSets: readonly string[];
  readonly findings: Findings;
}

/** The routes that are right; what is wrong with the others is in the findings. */
export function readRoutes(value: unknown, context: RouteContext): RouteConfig[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    context.findings.error(['routes'], 'routes must be a list: begin each route with "- bot_id:"');
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
  const { findings, directory } = context;
  const route = checkSection(schema, value, path, findings);
  // Read even where the rest is wrong, so that everything is said at once.
  const notifyPath = [...path, 'notify'];
  const hasNotify = isJsonObject(value) && value['notify'] !== undefined && value['notify'] !== null;
  const notify = hasNotify ? readNotify(value['notify'], notifyPath, directory, findings) : [];
  if (!route) return undefined;
  const botIds = [route.bot_id ?? []].flat();
  checkBotIds(botIds, [...path, 'bot_id'], Array.isArray(route.bot_id), findings);
  checkDuplicates(route.on, [...path, 'on'], findings);
  checkTemplateSet(route.template_set, [...path, 'template_set'], context);
  return {
    name: pathText(path),
    botIds,
    on: ALL_STATUSES.filter((status) => route.on.includes(status)),
    notify,
    templateSet: route.template_set,
    place: findings.placeOfKey(path),
  };
}

function checkBotIds(botIds: readonly string[], path: Path, isList: boolean, findings: Findings): void {
  checkDuplicates(botIds, path, findings);
  for (const [index, pattern] of botIds.entries()) {
    const at = isList ? [...path, index] : path;
    const doubt = doubtOfBotId(pattern);
    if (doubt !== undefined) findings.warning(at, `${pathText(at)} ${doubt}`);
    if (matchesEverything(pattern)) {
      findings.warning(at, `${pathText(at)} matches every BOT, which leaves nothing to default_route`);
    }
  }
}

function checkDuplicates(items: readonly string[], path: Path, findings: Findings): void {
  for (const [index, item] of items.entries()) {
    const at = [...path, index];
    if (items.indexOf(item) < index)
      findings.error(at, `${pathText(at)} is a duplicate: this list has it already`);
  }
}

function checkTemplateSet(
  name: string | undefined,
  path: Path,
  { templateSets, findings }: RouteContext,
): void {
  if (name === undefined || templateSets.includes(name)) return;
  const hint = didYouMean(name, templateSets) || `; there are: ${templateSets.join(', ')}`;
  findings.error(path, `${pathText(path)}: there is no template set ${findings.shown(path, name)}${hint}`);
}
