/** `botbell route`: which routes a callback matches, whom it reaches, why not the others, and what rules would hold back. */
import { decidedBy } from '../app/settings.ts';
import { type CheckedCallback, statusNameOf } from '../callback/callback.ts';
import { parseStartTime } from '../callback/check-callback.ts';
import { planFor } from '../deliver/settings.ts';
import { plannedDeliveries, watchedOf } from '../deliver/watch.ts';
import { keyOf, nameIn } from '../ledger/keys.ts';
import { type OpenArchive, openArchive } from '../ledger/open-ledger.ts';
import type { Arriving } from '../ledger/signal/admission.ts';
import { foresee, type Known, NOTHING_KNOWN } from '../ledger/signal/foresee.ts';
import { noticeOf } from '../notice/notice.ts';
import type { RoutedDestination, RouteExplanation } from '../route/router.ts';
import { visibleOnOneLine } from '../text/clean.ts';
import { shortLine } from '../text/cut.ts';
import { secretsHidden } from '../text/hide-secrets.ts';
import { systemClock } from '../time/clock.ts';
import { formatInstant } from '../time/display.ts';
import { type CommandContext, failedBecause, styled } from './context.ts';
import { foreseenInLines } from './foreseen-lines.ts';
import { loadProject, type Project } from './load-config.ts';
import { readCallback } from './read-callback.ts';

export interface RouteOptions {
  /** A date-time; default: now. */
  readonly at?: string;
}

const LONGEST_ID = 200;

export async function routeCommand(
  context: CommandContext,
  file: string,
  options: RouteOptions,
): Promise<number> {
  const project = await loadProject(context);
  const { timezone } = project.config.display;
  const checked = await readCallback(context, file, project.config);
  const { callback } = checked;
  const { router } = decidedBy(project.config, project.configHash);
  const at = parseStartTime(options.at ?? '', timezone);
  const time = at === undefined ? '' : `, at ${formatInstant(at, timezone, 'en')}`;
  const id = JSON.stringify(shortLine(callback.bot_id, LONGEST_ID));
  context.result(`bot_id ${id}, ${statusNameOf(callback)}${time}`);
  for (const explanation of router.explainAll(callback)) context.result(lineOf(context, explanation));
  const lines = await ruledLines(context, project, checked, at);
  const { destinations, perhaps } = router.route(callback);
  const reached = [...destinations, ...perhaps].filter(({ destination }) => lines.has(destination.key));
  context.result(reached.length === 0 ? 'reaches nobody' : `reaches ${reached.length}:`);
  for (const routed of reached) {
    context.result(destinationLine(context, routed));
    for (const line of lines.get(routed.destination.key) ?? []) context.result(`    ${line}`);
  }
  return 0;
}

function lineOf(context: CommandContext, { route, matched, because }: RouteExplanation): string {
  const mark = matched ? styled(context, 'green', '✓') : styled(context, 'dim', '·');
  return `  ${mark} ${route}: ${visibleOnOneLine(because)}`;
}

function destinationLine(context: CommandContext, { destination, templateSet, route }: RoutedDestination) {
  const set = templateSet === undefined ? '' : `, template set ${templateSet}`;
  return `  ${styled(context, 'bold', destination.key)} (${route}${set})`;
}

/**
 * What rules do about each destination that it reaches, or may reach.
 * @param at undefined: now, and only of rules that there are
 */
async function ruledLines(
  context: CommandContext,
  project: Project,
  checked: CheckedCallback,
  at: number | undefined,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const say = (message: string) => context.message(visibleOnOneLine(message));
  const arriving = arrivingOf(project, checked, { at: at ?? systemClock.now(), say });
  const found = await readKnown(project.config, arriving);
  const known = typeof found === 'string' ? undefined : found;
  const isAsked = at !== undefined;
  const { timezone } = project.config.display;
  const of = { status: arriving.status, known, timezone, isAsked };
  const lines = new Map<string, readonly string[]>();
  for (const foreseen of foresee(arriving, known ?? NOTHING_KNOWN)) {
    const own = foreseenInLines(foreseen, of)?.map(visibleOnOneLine);
    if (own !== undefined) lines.set(foreseen.target.destination, own);
  }
  const isOfInterest = isAsked || [...lines.values()].some((own) => own.length > 0);
  if (typeof found === 'string' && isOfInterest) say(`what came before is not known: ${found}`);
  return lines;
}

/** As a POST asks the ledger for it. */
function arrivingOf(
  { config, configHash, renderer }: Project,
  checked: CheckedCallback,
  { at, say }: { readonly at: number; readonly say: (message: string) => void },
): Arriving {
  const { callback, startedAt } = checked;
  const { job_id, bot_id, status } = callback;
  const decided = decidedBy(config, configHash);
  const meets = (condition: string) =>
    renderer.holds(condition, noticeOf(checked, 1), ({ message }) => say(message));
  const settings = { ...decided, channels: config.channels, meets };
  const planned = plannedDeliveries(settings, planFor(decided, callback), checked);
  const ids = { jobId: keyOf(job_id), botKey: keyOf(bot_id), botId: nameIn(bot_id) };
  return { ...ids, status, startedAt, receivedAt: at, planned, watched: watchedOf(settings, checked) };
}

/** @returns why it is not known: there is no ledger, or it cannot be read */
async function readKnown(
  { store, secrets }: Project['config'],
  { botKey, planned, watched }: Arriving,
): Promise<Known | string> {
  let opened: OpenArchive | undefined;
  try {
    opened = await openArchive(store.url);
    const keys = watched.expected.map(({ key }) => key);
    const places = planned.map(({ destination }) => destination);
    return await opened.archive.knownOf(botKey, places, keys);
  } catch (error) {
    return failedBecause(error, secretsHidden(secrets)).message;
  } finally {
    await opened?.close();
  }
}
