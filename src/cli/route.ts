/** `botbell route`: shows which routes a callback matches and why, its destinations, and with `--at` what the rules decide. */
import { decidedBy } from '../app/settings.ts';
import { type CheckedCallback, type StatusName, statusNameOf } from '../callback/callback.ts';
import type { RouteConfig } from '../config/config.ts';
import { judgedBy } from '../deliver/plan.ts';
import { keyOf, nameIn } from '../ledger/callbacks/keys.ts';
import type { PlannedDelivery } from '../ledger/ledger.ts';
import { type OpenArchive, openArchive } from '../ledger/open-ledger.ts';
import {
  type Arriving,
  type Foreseen,
  judge,
  type KnownFacts,
  NOTHING_KNOWN,
} from '../ledger/timers/admission.ts';
import { noticeOf } from '../notice/notice.ts';
import type { PlannedTarget } from '../route/router.ts';
import type { AskedRoute, RouteRuling } from '../signal/decide.ts';
import { routeEvents } from '../story/routing.ts';
import { Sayings, type StoryEvent } from '../story/sayings.ts';
import { visibleOnOneLine } from '../text/clean.ts';
import { shortLine } from '../text/cut.ts';
import { systemClock } from '../time/clock.ts';
import { formatElapsed, formatInstant, parseStartTime } from '../time/display.ts';
import { type CommandContext, styled } from './context.ts';
import { loadProject, type Project } from './load-config.ts';
import { readCallback } from './read-callback.ts';

interface Options {
  /** A date-time or `now`, at which the rules are asked; left out: they are not. */
  readonly at?: string;
}

const LONGEST_ID = 200;

const PERHAPS = 'perhaps, by what came before: --at now tells';

export async function run(context: CommandContext, file: string, options: Options): Promise<number> {
  const project = await loadProject(context, { withoutSecrets: true });
  const { timezone } = project.config.display;
  const checked = await readCallback(context, file, project.config);
  const { callback } = checked;
  const { router } = decidedBy(project);
  const at = options.at === 'now' ? systemClock.now() : parseStartTime(options.at ?? '', timezone);
  const time = at === undefined ? '' : `, at ${formatInstant(at, timezone, 'en')}`;
  const id = JSON.stringify(shortLine(callback.bot_id, LONGEST_ID));
  context.result(`bot_id ${id}, ${statusNameOf(callback)}${time}`);
  const sayings = new Sayings({ language: 'en', timezone, now: systemClock.now() });
  for (const explanation of router.explainAll(callback))
    for (const event of routeEvents(explanation, 0, callback, sayings))
      context.result(lineOf(context, event));
  const { destinations, perhaps } = router.route(callback);
  const decided = at === undefined ? undefined : await ruledLines(context, project, checked, at);
  const reached = [...destinations, ...perhaps].flatMap((to) => {
    const unruled = { lines: perhaps.includes(to) ? [PERHAPS] : [] };
    const ruled = decided === undefined ? unruled : decided.get(to.destination);
    return ruled === undefined ? [] : [[destinationLine(context, to, ruled), ...ruled.lines]];
  });
  context.result(reached.length === 0 ? 'reaches nobody' : `reaches ${reached.length}:`);
  for (const lines of reached) context.result(lines.join('\n    '));
  const steps = statusNameOf(callback) === 'error' ? router.routesOf(callback.bot_id).flatMap(stepLines) : [];
  if (steps.length > 0) context.result('then, counted from when the route first tells of it:');
  for (const line of steps) context.result(line);
  return 0;
}

/** Whom the steps of a route that tells of errors reach, and when. */
function stepLines({ name, on, steps = [] }: RouteConfig): readonly string[] {
  if (!on.includes('error')) return [];
  return steps.map(({ afterMs, unlessDelivered, notify }) => {
    const unless = unlessDelivered ? 'over, or one of the route has got it' : 'over or taken up';
    const who = notify.map(({ destination }) => destination).join(', ');
    return `  after ${formatElapsed(afterMs / 1000, 'en')}, unless it is ${unless}: ${who} (${name})`;
  });
}

function lineOf(context: CommandContext, { what, text, small = '' }: StoryEvent): string {
  const mark = what === 'route matched' ? styled(context, 'green', '✓') : styled(context, 'dim', '·');
  return `  ${mark} ${visibleOnOneLine(`${small}: ${text}`)}`;
}

function destinationLine(
  context: CommandContext,
  routed: PlannedTarget,
  { teller = routed.route }: Ruled,
): string {
  const { templateSet } = routed.asked?.find(({ name }) => name === teller) ?? routed;
  const set = templateSet === undefined ? '' : `, template set ${templateSet}`;
  return `  ${styled(context, 'bold', routed.destination)} (${teller}${set})`;
}

/** The rules' decision about a destination in words, and the route that it is by; undefined: the first that reaches it. */
interface Ruled {
  readonly lines: readonly string[];
  readonly teller?: string | undefined;
}

/** By destination; one without an entry is not reached. */
type Decided = ReadonlyMap<string, Ruled>;

async function ruledLines(
  context: CommandContext,
  project: Project,
  checked: CheckedCallback,
  at: number,
): Promise<Decided> {
  const say = (message: string) => context.message(visibleOnOneLine(message));
  const arriving = arrivingOf(project, checked, at, say);
  const found = await readKnown(project.config, arriving);
  const isKnown = typeof found !== 'string';
  if (!isKnown) say(`what came before, and what is snoozed, is not known: ${found}`);
  const { timezone } = project.config.display;
  const asked = { status: statusNameOf(checked.callback), isKnown, timezone };
  const { foreseen } = judge(arriving, isKnown ? found : NOTHING_KNOWN, at);
  const decided = new Map<string, Ruled>();
  for (const each of foreseen) {
    const lines = foreseenInLines(each, asked)?.map(visibleOnOneLine);
    const teller = each.decision?.ruling.route;
    if (lines !== undefined) decided.set(each.target.destination, { lines, teller });
  }
  return decided;
}

/** The question that a POST of this callback would ask the ledger. */
function arrivingOf(
  project: Project,
  checked: CheckedCallback,
  at: number,
  say: (message: string) => void,
): Arriving {
  const { callback, startedAt } = checked;
  const { job_id, bot_id, bot_name, status } = callback;
  const meets = (condition: string) =>
    project.renderer.holds(condition, noticeOf(checked, 1), ({ message }) => say(message));
  const plan = decidedBy(project).planFor(callback);
  const { planned, ...watched } = plan.asking;
  const ids = {
    callbackId: 0,
    jobId: keyOf(job_id),
    botKey: keyOf(bot_id),
    botId: nameIn(bot_id),
    botName: bot_name,
  };
  const asked = { planned, watched, ...judgedBy(plan, checked, meets) };
  return { ...ids, status, startedAt, receivedAt: at, ...asked };
}

/** @returns what the ledger knows, or as text why it cannot be read */
async function readKnown(
  { store }: Project['config'],
  { botKey, watched, planned }: Arriving,
): Promise<KnownFacts | string> {
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
  readonly isKnown: boolean;
  readonly timezone: string;
}

/** @returns undefined if the callback does not reach the destination */
function foreseenInLines(foreseen: Foreseen, asked: Asked): readonly string[] | undefined {
  const { decision, target } = foreseen;
  const names = rulesOfBefore(target, asked.status);
  const before = names.length === 0 ? [] : [`depends on what came before: ${names.join(', ')}`];
  if (decision === undefined) return ['told', ...before];
  const { ruling, routes, telling } = decision;
  const isCertain = asked.isKnown || names.length === 0;
  if (isCertain && ruling.does === 'let go' && ruling.rule === 'on') return undefined;
  const drawn = telling?.occasion === undefined ? '' : `, as ${telling.occasion.template}`;
  // The ruling that counts comes first.
  const others = routes.filter(({ route }) => route !== ruling.route);
  const lines = others.map((other) => inWords(other, foreseen, asked));
  return [`${inWords(ruling, foreseen, asked)}${drawn}`, ...lines, ...before];
}

/** Names of the rules whose decision depends on earlier callbacks. */
function rulesOfBefore({ asked = [], burst }: PlannedDelivery, status: StatusName): string[] {
  const some = (of: StatusName, isSo: (route: AskedRoute) => boolean) => status === of && asked.some(isSo);
  const matters = {
    after_failures: some('error', ({ rules }) => rules.afterFailures > 1),
    repeat: some('error', ({ rules }) => rules.repeat !== 'every'),
    recovered: some('succeeded', ({ on }) => on.includes('recovered')),
    expect: status !== 'executing' && asked.some(({ timer }) => timer !== undefined),
    burst: burst !== undefined,
  };
  return Object.entries(matters).flatMap(([name, isSo]) => (isSo ? name : []));
}

/** `nightly-*: held by mute, until 25 Nov 2026, 07:00:00 (GMT+9)` */
function inWords(ruling: RouteRuling, { snoozes }: Foreseen, { timezone }: Asked): string {
  const { route } = ruling;
  if (ruling.does === 'tell') return `${route}: told`;
  if (ruling.does === 'let go') return `${route}: not told, by ${ruling.rule}`;
  const { rule, until, snoozeId } = ruling;
  const end = until === undefined ? 'with no end' : `until ${formatInstant(until, timezone, 'en')}`;
  if (rule !== 'snooze') return `${route}: held by ${rule}, ${end}`;
  const snooze = snoozes.find(({ id }) => id === snoozeId);
  const sooner = snooze?.untilSuccess === true ? ' or its next success' : '';
  return `${route}: held by snooze ${snooze?.id} of ${snooze?.by}, ${end}${sooner}: ${snooze?.because || 'no reason given'}`;
}
