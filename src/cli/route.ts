/** `botbell route`: which routes a callback matches, whom it reaches, why not the others, and what rules would hold back. */
import { decidedBy } from '../app/settings.ts';
import { type CheckedCallback, type StatusName, statusNameOf } from '../callback/callback.ts';
import { parseStartTime } from '../callback/check-callback.ts';
import { plannedDeliveries, watchedOf } from '../deliver/watch.ts';
import { keyOf, nameIn } from '../ledger/keys.ts';
import type { PlannedDelivery } from '../ledger/ledger.ts';
import { type OpenArchive, openArchive } from '../ledger/open-ledger.ts';
import { type Arriving, type Foreseen, judge, type Known, NOTHING_KNOWN } from '../ledger/signal/judge.ts';
import { noticeOf } from '../notice/notice.ts';
import type { RoutedDestination, RouteExplanation } from '../route/router.ts';
import type { AskedRoute, Decision, RouteVerdict } from '../signal/decide.ts';
import { visibleOnOneLine } from '../text/clean.ts';
import { shortLine } from '../text/cut.ts';
import { systemClock } from '../time/clock.ts';
import { formatInstant } from '../time/display.ts';
import { type CommandContext, styled } from './context.ts';
import { loadProject, type Project } from './load-config.ts';
import { readCallback } from './read-callback.ts';

interface Options {
  /** A date-time; default: now. */
  readonly at?: string;
}

const LONGEST_ID = 200;

export async function run(context: CommandContext, file: string, options: Options): Promise<number> {
  const project = await loadProject(context);
  const { timezone } = project.config.display;
  const checked = await readCallback(context, file, project.config);
  const { callback } = checked;
  const { router } = decidedBy(project);
  const at = parseStartTime(options.at ?? '', timezone);
  const time = at === undefined ? '' : `, at ${formatInstant(at, timezone, 'en')}`;
  const id = JSON.stringify(shortLine(callback.bot_id, LONGEST_ID));
  context.result(`bot_id ${id}, ${statusNameOf(callback)}${time}`);
  for (const explanation of router.explainAll(callback)) context.result(lineOf(context, explanation));
  const lines = await ruledLines(context, project, checked, at);
  const { destinations, perhaps } = router.route(callback);
  const reached = [...destinations, ...perhaps].filter(({ destination }) => lines.has(destination));
  context.result(reached.length === 0 ? 'reaches nobody' : `reaches ${reached.length}:`);
  for (const routed of reached) {
    context.result(destinationLine(context, routed));
    for (const line of lines.get(routed.destination) ?? []) context.result(`    ${line}`);
  }
  return 0;
}

function lineOf(context: CommandContext, { route, matched, because }: RouteExplanation): string {
  const mark = matched ? styled(context, 'green', '✓') : styled(context, 'dim', '·');
  return `  ${mark} ${route}: ${visibleOnOneLine(because)}`;
}

function destinationLine(context: CommandContext, { destination, templateSet, route }: RoutedDestination) {
  const set = templateSet === undefined ? '' : `, template set ${templateSet}`;
  return `  ${styled(context, 'bold', destination)} (${route}${set})`;
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
  const isKnown = typeof found !== 'string';
  const isAsked = at !== undefined;
  const asked = { status: statusNameOf(checked.callback), isKnown, isAsked, ...project.config.display };
  const lines = new Map<string, readonly string[]>();
  const { foreseen: all } = judge(arriving, isKnown ? found : NOTHING_KNOWN, arriving.receivedAt);
  for (const foreseen of all) {
    const own = foreseenInLines(foreseen, asked)?.map(visibleOnOneLine);
    if (own !== undefined) lines.set(foreseen.target.destination, own);
  }
  const isOfInterest = isAsked || [...lines.values()].some((own) => own.length > 0);
  if (!isKnown && isOfInterest) say(`what came before is not known: ${found}`);
  return lines;
}

/** As a POST asks the ledger for it. */
function arrivingOf(
  project: Project,
  checked: CheckedCallback,
  { at, say }: { readonly at: number; readonly say: (message: string) => void },
): Arriving {
  const { callback, startedAt } = checked;
  const { job_id, bot_id, status } = callback;
  const meets = (condition: string) =>
    project.renderer.holds(condition, noticeOf(checked, 1), ({ message }) => say(message));
  const settings = { ...decidedBy(project), meets };
  const planned = plannedDeliveries(settings, settings.router.route(callback), checked);
  const ids = { jobId: keyOf(job_id), botKey: keyOf(bot_id), botId: nameIn(bot_id) };
  return { ...ids, status, startedAt, receivedAt: at, planned, watched: watchedOf(settings, checked) };
}

/** @returns why it is not known: there is no ledger, or it cannot be read */
async function readKnown(
  { store }: Project['config'],
  { botKey, watched, planned }: Arriving,
): Promise<Known | string> {
  let opened: OpenArchive | undefined;
  try {
    opened = await openArchive(store.url);
    return await opened.archive.knownOf({ botKey, watched, planned });
  } catch (error) {
    return (error as Error).message;
  } finally {
    await opened?.close();
  }
}

interface Asked {
  readonly status: StatusName;
  /** The ledger has said what came before. */
  readonly isKnown: boolean;
  /** Somebody asked about rules: who is simply told is said, too. */
  readonly isAsked: boolean;
  readonly timezone: string;
}

/** @returns none of who is told whatever came before; undefined: it does not reach that destination */
function foreseenInLines(foreseen: Foreseen, asked: Asked): readonly string[] | undefined {
  const { decision, target } = foreseen;
  const names = rulesOfBefore(target, asked);
  const before = names.length === 0 ? [] : [beforeInWords(names, asked)];
  if (decision === undefined) return asked.isKnown ? [] : before;
  const { verdict } = decision;
  const isCertain = asked.isKnown || names.length === 0;
  if (isCertain && verdict.does === 'let go' && verdict.rule === 'on') return undefined;
  if (names.length === 0 && isToldPlainly(decision)) return asked.isAsked ? ['told'] : [];
  return [...verdictsOf(decision, foreseen, asked), ...before];
}

function isToldPlainly({ verdict, telling }: Decision): boolean {
  return verdict.does === 'tell' && telling?.occasion === undefined;
}

function beforeInWords(names: readonly string[], { isKnown }: Asked): string {
  if (isKnown) return `by what came before: ${names.join(', ')}`;
  return `depends on what came before: ${[...names, 'snoozes'].join(', ')}`;
}

/** Those that go by what came before it. */
function rulesOfBefore({ asked = [], burst }: PlannedDelivery, { status, isAsked }: Asked): string[] {
  const isError = status === 'error';
  const some = (isSo: (route: AskedRoute) => boolean) => asked.some(isSo);
  const matters = {
    after_failures: isError && some(({ rules }) => rules.afterFailures > 1),
    repeat: isError && some(({ rules }) => rules.repeat !== 'every'),
    recovered: status === 'succeeded' && some(({ on }) => on.includes('recovered')),
    expect: status !== 'executing' && some(({ timer }) => timer !== undefined),
    burst: isAsked && burst !== undefined,
  };
  return Object.entries(matters).flatMap(([name, isSo]) => (isSo ? name : []));
}

/** The one that counts first. */
function verdictsOf({ verdict, routes, telling }: Decision, foreseen: Foreseen, asked: Asked): string[] {
  const others = routes.filter(({ route }) => route !== verdict.route);
  const drawn = telling?.occasion === undefined ? '' : `, as ${telling.occasion.template}`;
  const lines = [verdict, ...others].map((each) => `${each.route}: ${inWords(each, foreseen, asked)}`);
  return lines.map((line, index) => (index === 0 ? `${line}${drawn}` : line));
}

/** `held by mute, until 25 Nov 2026, 07:00:00 (GMT+9)` */
function inWords(verdict: RouteVerdict, { snoozes }: Foreseen, { timezone }: Asked): string {
  if (verdict.does === 'tell') return 'told';
  if (verdict.does === 'let go') return `not told, by ${verdict.rule}`;
  const { rule, until, snoozeId } = verdict;
  const end = until === undefined ? 'with no end' : `until ${formatInstant(until, timezone, 'en')}`;
  if (rule !== 'snooze') return `held by ${rule}, ${end}`;
  const snooze = snoozes.find(({ id }) => id === snoozeId);
  return `held by snooze ${snooze?.id} of ${snooze?.by}, ${end}: ${snooze?.because || 'no reason given'}`;
}
