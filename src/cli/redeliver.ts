/** `botbell redeliver`: hands dead letters and deliveries held as no longer routed back to the service, or dismisses them. */
import { decidedBy } from '../app/settings.ts';
import { planOf } from '../deliver/plan.ts';
import { isDone, outcomeInWords, refusedOutcome } from '../people/outcomes.ts';
import { visibleOnOneLine } from '../text/clean.ts';
import { shortLine } from '../text/cut.ts';
import { systemClock } from '../time/clock.ts';
import { type Beside, beside } from './beside.ts';
import { actorHere, type CommandContext, CommandFailed, configFileOf, WrongUsage } from './context.ts';
import { loadLedgerConfig, loadProject } from './load-config.ts';

interface Options {
  readonly dead?: boolean;
  readonly destination?: string;
  /** Milliseconds. */
  readonly since?: number;
  readonly yes?: boolean;
  readonly dismiss?: boolean;
  readonly again?: boolean;
  readonly route?: string;
}

interface Acting extends Beside {
  readonly context: CommandContext;
  readonly options: Options;
}

/** @param ids ids of deliveries; empty: all that the options match */
export async function run(
  context: CommandContext,
  ids: readonly number[],
  options: Options,
): Promise<number> {
  const { dead = false, route, destination, since } = options;
  if ([ids.length > 0, dead, route !== undefined].filter(Boolean).length !== 1)
    throw new WrongUsage('name either deliveries, or --dead, or with --route a job');
  if (!dead && (destination ?? since) !== undefined)
    throw new WrongUsage('--destination and --since go with --dead');
  const loaded =
    route === undefined
      ? { config: await loadLedgerConfig(context), configHash: '' }
      : await loadProject(context);
  return beside(decidedBy(loaded), (open) => {
    const acting = { ...open, context, options };
    if (route !== undefined) return routeAnew(acting, route);
    return dead ? allDead(acting) : eachNamed(acting, [...new Set(ids)]);
  });
}

async function eachNamed(acting: Acting, ids: readonly number[]): Promise<number> {
  const { people, options } = acting;
  if (!(await isAgreed(acting, counted(ids.length, 'message')))) return 1;
  let done = 0;
  for (const id of ids) {
    const asked = options.dismiss
      ? people.dismiss(id, actorHere())
      : people.redeliver(id, actorHere(), options.again ?? false);
    const outcome = await asked.catch(refusedOutcome);
    if (isDone(outcome)) done += 1;
    else acting.context.message(`${id} is left alone: ${outcomeInWords(outcome, 'en')}`);
  }
  if (done > 0) report(acting, done);
  return done === ids.length ? 0 : 1;
}

/** Starts a bulk action, which the service carries out in steps. */
async function allDead(acting: Acting): Promise<number> {
  const { context, options, people } = acting;
  const { destination, since, dismiss } = options;
  const filter = { destination, from: since === undefined ? undefined : systemClock.now() - since };
  const { messages, destinations } = await people.tally(filter);
  if (messages === 0) {
    context.message('nothing that matches is dead or held as no longer routed');
    return 0;
  }
  const named = destinations.map((each) => visibleOnOneLine(`  ${each.destination}: ${each.messages}`));
  if (!(await isAgreed(acting, [`${counted(messages, 'message')}:`, ...named].join('\n')))) return 1;
  await people.startBulk(filter, actorHere(), dismiss === true ? 'dismissed' : 'redelivered');
  report(acting, messages, 'dismissed by the service while it runs');
  return 0;
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}

/**
 * @param what the objects of the action, printed before the question
 * @returns whether to go on: the user agrees, or gave `--yes`
 */
async function isAgreed({ context, options }: Acting, what: string): Promise<boolean> {
  context.message(what);
  if (options.yes === true) return true;
  if (context.ask === undefined) {
    context.message('nothing was changed: nobody is at a terminal to be asked; with --yes it is done');
    return false;
  }
  const question = options.dismiss ? 'Dismiss, so that nobody is ever told?' : 'Deliver again?';
  const isYes = /^\s*y(es)?\s*$/i.test(await context.ask(`${question} [y/N] `));
  if (!isYes) context.message('nothing was changed');
  return isYes;
}

function report({ context, options }: Acting, count: number, dismissed = 'dismissed'): void {
  const what = options.dismiss === true ? dismissed : 'given back: the service delivers them while it runs';
  context.result(`${counted(count, 'message')} ${what}`);
}

/** The newest callbacks of a job; older ones are not routed anew. */
const MOST_OF_JOB = 500;

const LONGEST_NAME = 100;

/** Routes a job's callbacks by the current config, and adds the missing deliveries. */
async function routeAnew(acting: Acting, jobId: string): Promise<number> {
  const { context, ledger, people, planning } = acting;
  await refuseOtherConfig(acting);
  const job = visibleOnOneLine(`job ${JSON.stringify(shortLine(jobId, LONGEST_NAME))}`);
  const { items } = await ledger.archive.callbacks({ jobId }, { limit: MOST_OF_JOB });
  if (items.length === 0) throw new CommandFailed(`no callback of ${job} is known here`);
  const targets = items.flatMap(
    (callback) => planOf(planning, { ...callback, kind: 'callback' }).destinations,
  );
  if (targets.length === 0)
    throw new CommandFailed(
      'today’s config names nobody for the callbacks of this job; `botbell route` says why',
    );
  const whom = visibleOnOneLine([...new Set(targets.map(({ destination }) => destination))].join(', '));
  const what = `${counted(items.length, 'callback')} of ${job}, which today’s config tells ${whom}`;
  if (!(await isAgreed(acting, what))) return 1;
  let told = 0;
  for (const { id } of items.toReversed()) {
    const outcome = await people.routeAnew(id, actorHere()).catch(refusedOutcome);
    told += (outcome.json?.['told'] as readonly string[] | undefined)?.length ?? 0;
    if (!isDone(outcome)) context.message(`callback ${id}: ${outcomeInWords(outcome, 'en')}`);
  }
  if (told > 0) report(acting, told);
  return 0;
}

/**
 * A service that runs another config would at once drop the deliveries added by this one.
 * @throws {CommandFailed} if services run, but none with this config
 */
async function refuseOtherConfig({ context, ledger, planning: { configHash } }: Acting): Promise<void> {
  const living = await ledger.processes();
  if (living.length === 0 || living.some((process) => process.configHash === configHash)) return;
  throw new CommandFailed(
    `the running service has another config than ${configFileOf(context)} is now: have it load that one first (kill -HUP, or a restart), and ask again`,
  );
}
