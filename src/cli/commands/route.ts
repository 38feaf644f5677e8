/** `botbell route`: shows which routes a callback matches and why, its destinations, and with `--at` what the rules decide. */
import { planningOf } from '../../app/settings.ts';
import {
  ALL_STATUSES,
  checkCallback,
  type CheckedCallback,
  type StatusName,
  statusNameOf,
} from '../../callback/callback.ts';
import { isPattern } from '../../config/bot-id-pattern.ts';
import type { Config, RouteConfig } from '../../config/config.ts';
import type { PlannedTarget } from '../../route/router.ts';
import { routeEvents } from '../../story/routing.ts';
import { Sayings } from '../../story/sayings.ts';
import { inColumns } from '../../text/aligned.ts';
import { quotedExactly, visibleOnOneLine } from '../../text/clean.ts';
import { cutEnd, shortLine } from '../../text/cut.ts';
import { errorIn } from '../../text/fault.ts';
import { systemClock } from '../../time/clock.ts';
import { formatElapsed, formatInstant, parseStartTime } from '../../time/display.ts';
import { withArchive } from '../with-ledger.ts';
import { type CommandContext, printJson, styled } from '../context.ts';
import type { OptionsOf } from '../help.ts';
import { type Foreseeing, ruledLines, rulesOf } from './foresee.ts';
import { loadProject } from '../load-config.ts';
import { readCallback } from '../read-callback.ts';

type Options = OptionsOf<'route'>;

const LONGEST_ID = 200;

interface Asking extends Foreseeing {
  /** The time for which the rules are asked; undefined if they are not. */
  readonly at: number | undefined;
  /** All BOTs, which may be thousands: for each, only the routes that name it are explained. */
  readonly isAll: boolean;
}

export async function run(context: CommandContext, file: string | undefined, options: Options) {
  const { status, all = false, at, format } = options;
  const project = await loadProject(context, { withoutSecrets: true });
  const { display } = project.config;
  const now = systemClock.now();
  const asking: Asking = {
    context,
    project,
    planning: planningOf(project),
    sayings: new Sayings({ ...display, now }),
    at: at === 'now' ? now : parseStartTime(at ?? '', display.timezone),
    isMadeUp: file === undefined,
    isAll: all,
  };
  const answers: Answer[] = [];
  for (const checked of await askedBy(asking, file, options)) answers.push(await answerTo(asking, checked));
  if (format === 'json') printJson(context, (file ?? status) === undefined ? answers : answers[0]);
  else if (all) for (const line of tableOf(answers, asking)) context.result(line);
  else for (const answer of answers) print(answer, asking);
  return 0;
}

async function askedBy(asking: Asking, file: string | undefined, { bot, status }: Options) {
  const { context, project } = asking;
  if (file !== undefined) return [await readCallback(context, file, project.config)];
  return madeUp(bot === undefined ? await botsOf(asking) : [bot], status, project.config);
}

/** A made-up callback of each BOT and status; its other fields mean nothing. */
function madeUp(bots: readonly string[], status: StatusName | undefined, { display }: Config) {
  const [job_id, start_time] = ['?', new Date(systemClock.now()).toISOString()];
  return bots.flatMap((bot_id) =>
    ALL_STATUSES.flatMap((name, code) => {
      if (status !== undefined && name !== status) return [];
      return [
        checkCallback({ code, job_id, bot_id, bot_name: '', status: code, start_time }, display.timezone),
      ];
    }),
  );
}

/** More BOTs than there are. */
const MOST_BOTS = 1_000_000;

/** The BOTs that routes name, and, if the store can be read, those that it knows. */
async function botsOf({ project, context }: Asking): Promise<readonly string[]> {
  const { routes } = project.config;
  const bots = new Set(routes.flatMap(({ botIds }) => botIds.filter((id) => !isPattern(id))));
  try {
    const known = await withArchive(project.config, (archive) => archive.bots(undefined, MOST_BOTS));
    for (const { botId } of known) bots.add(botId);
  } catch (error) {
    const why = errorIn(error, context.speaks.language);
    context.message(visibleOnOneLine(context.say('route.bots unknown', { why })));
  }
  return [...bots].toSorted();
}

/** What `--format json` prints. */
type Answer = Awaited<ReturnType<typeof answerTo>>;

async function answerTo(asking: Asking, checked: CheckedCallback) {
  const { callback } = checked;
  const { planning, sayings, at, isAll } = asking;
  const { router } = planning;
  const status = statusNameOf(callback);
  const plan = router.route(callback);
  const routes = (isAll ? plan.explanations : router.explainAll(callback)).flatMap((explanation) =>
    routeEvents(explanation, 0, callback, sayings).map(({ what, text: why }) => {
      return { route: explanation.route, applies: what === 'route matched', why };
    }),
  );
  const { destinations, perhaps } = plan;
  const decided = at === undefined ? undefined : await ruledLines(asking, checked, at);
  const reaches = [...destinations, ...perhaps].flatMap((to) => {
    const ruled = decided?.get(to.destination);
    if (decided !== undefined && ruled === undefined) return [];
    const {
      teller: route = to.route,
      does = null,
      lines: rules = openLines(to, asking, status),
    } = ruled ?? {};
    const { templateSet = null } = to.asked?.find(({ name }) => name === route) ?? to;
    const is_certain = !perhaps.includes(to);
    return [{ destination: to.destination, route, template_set: templateSet, is_certain, does, rules }];
  });
  const naming = status === 'error' ? router.routesOf(callback.bot_id) : [];
  const steps = naming.flatMap(stepsOf);
  const time = at === undefined ? null : new Date(at).toISOString();
  return { bot_id: callback.bot_id, status, at: time, routes, reaches, steps };
}

/** What the rules would decide, where nobody asks them. */
function openLines(
  { asked = [] }: PlannedTarget,
  { context }: Asking,
  status: StatusName,
): readonly string[] {
  const rules = rulesOf(asked, status).join(', ');
  return rules === '' ? [] : [context.say('route.open', { rules })];
}

/** The destinations of a route's steps, and when each tells them; none if the route does not tell of errors. */
function stepsOf({ name: route, on, steps = [] }: RouteConfig) {
  if (!on.includes('error')) return [];
  return steps.map(({ afterMs, unlessDelivered, notify }) => ({
    after_seconds: afterMs / 1000,
    unless_delivered: unlessDelivered,
    notify: notify.map(({ destination }) => destination),
    route,
  }));
}

function print(answer: Answer, asking: Asking): void {
  const { context, project, at } = asking;
  const { timezone, language } = project.config.display;
  const { bot_id, status, routes, reaches, steps } = answer;
  const line = (text: string) => context.result(visibleOnOneLine(text));
  const id = quotedExactly(cutEnd(bot_id, LONGEST_ID, '…'));
  const time =
    at === undefined ? '' : context.say('route.at', { time: formatInstant(at, timezone, language) });
  line(`bot_id ${id}, ${status}${time}`);
  for (const { route, applies, why } of routes) {
    const mark = applies ? styled(context, 'green', '✓') : styled(context, 'dim', '·');
    context.result(`  ${mark} ${visibleOnOneLine(`${shortLine(route, LONGEST_ID)}: ${why}`)}`);
  }
  line(
    reaches.length === 0
      ? context.say('route.nobody')
      : context.say('route.reaches', { count: reaches.length }),
  );
  for (const each of reaches) printReached(each, asking);
  if (steps.length > 0) line(context.say('route.steps'));
  for (const { after_seconds, unless_delivered, notify, route } of steps) {
    const time = formatElapsed(after_seconds, language);
    const words = unless_delivered ? 'route.step, unless delivered' : 'route.step';
    line(`  ${context.say(words, { time, who: notify.join(', '), route })}`);
  }
}

function printReached(
  { destination, route = '', template_set: set, is_certain, rules }: Answer['reaches'][number],
  { context, at }: Asking,
): void {
  const by = set === null ? route : context.say('route.with set', { route, set });
  context.result(`  ${styled(context, 'bold', destination)} (${visibleOnOneLine(by)})`);
  const perhaps = is_certain || at !== undefined ? [] : [context.say('route.perhaps')];
  for (const rule of [...perhaps, ...rules]) context.result(`    ${visibleOnOneLine(rule)}`);
}

/** The id, in quotes if it could be mistaken for another one: a blank at its end may be why no route matches. */
function inTable(botId: string): string {
  const exact = quotedExactly(cutEnd(botId, LONGEST_ID, '…'));
  return exact === `"${shortLine(botId, LONGEST_ID)}"` ? exact.slice(1, -1) : exact;
}

/** A line for each BOT and the statuses that reach the same destinations; below, a note if some of these are uncertain. */
function tableOf(answers: readonly Answer[], { context, at }: Asking): readonly string[] {
  const rows = new Map<string, { readonly bot: string; readonly who: string; readonly of: string[] }>();
  for (const { bot_id, status, reaches } of answers) {
    const who = reaches.map(({ destination, is_certain }) =>
      is_certain ? destination : context.say('route.perhaps at', { destination }),
    );
    const key = JSON.stringify([bot_id, who]);
    const row = rows.get(key) ?? { bot: inTable(bot_id), who: who.join(', '), of: [] };
    rows.set(key, { ...row, of: [...row.of, status] });
  }
  const heads = [context.say('route.bot'), context.say('route.of'), context.say('route.reaching')];
  const cells = [...rows.values()].map(({ bot, of, who }) => [
    bot,
    of.join(', '),
    who || context.say('route.nobody'),
  ]);
  const isOpen = at === undefined && answers.some(({ reaches }) => reaches.some((to) => !to.is_certain));
  const lines = inColumns([heads, ...cells], 'left').map((line) => visibleOnOneLine(line).trimEnd());
  return isOpen ? [...lines, context.say('route.perhaps')] : lines;
}
