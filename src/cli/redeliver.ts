/** `botbell redeliver`: hands dead letters and deliveries held as no longer routed back to the service, or dismisses them. */
import { decidedBy } from '../app/settings.ts';
import { planByHand } from '../deliver/operations.ts';
import type { RedeliveryTally } from '../ledger/actions/actions.ts';
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import { openBeside } from '../ledger/open-ledger.ts';
import { visibleOnOneLine } from '../text/clean.ts';
import { shortLine } from '../text/cut.ts';
import { systemClock } from '../time/clock.ts';
import { actorHere, type CommandContext, CommandFailed, configFileOf, WrongUsage } from './context.ts';
import { loadLedgerConfig, loadProject, type Project } from './load-config.ts';

interface Options {
  readonly dead?: boolean;
  readonly destination?: string;
  /** Milliseconds. */
  readonly since?: number;
  readonly yes?: boolean;
  readonly dismiss?: boolean;
  readonly again?: boolean;
  /** A job's id. */
  readonly route?: string;
}

interface Acting {
  readonly context: CommandContext;
  readonly options: Options;
  readonly ledger: DatabaseLedger;
}

/** @param ids ids of deliveries; empty: all that the options match */
export async function run(
  context: CommandContext,
  ids: readonly number[],
  options: Options,
): Promise<number> {
  refuseMisuse(ids, options);
  const project = options.route === undefined ? undefined : await loadProject(context);
  const { store } = project?.config ?? (await loadLedgerConfig(context));
  const ledger = await openBeside(store.url);
  const acting = { context, options, ledger };
  try {
    if (project !== undefined) return await routeAnew(acting, project);
    if (options.dead === true) return await allDead(acting);
    return await eachNamed(acting, [...new Set(ids)]);
  } finally {
    await ledger.close();
  }
}

/** Refuses combinations beyond those that commander's `conflicts` excludes. @throws {WrongUsage} */
function refuseMisuse(ids: readonly number[], { dead, route, destination, since }: Options): void {
  const named = [ids.length > 0, dead === true, route !== undefined].filter(Boolean).length;
  if (named !== 1) throw new WrongUsage('name either deliveries, or --dead, or with --route a job');
  if (dead !== true && (destination ?? since) !== undefined)
    throw new WrongUsage('--destination and --since go with --dead');
}

async function eachNamed(acting: Acting, ids: readonly number[]): Promise<number> {
  const { context, options, ledger } = acting;
  if (!(await isAgreed(acting, counted(ids.length, 'message')))) return 1;
  let done = 0;
  for (const id of ids) {
    const result = await (options.dismiss
      ? ledger.actions.dismiss(id, actorHere())
      : ledger.actions.redeliver(id, actorHere(), options.again ?? false));
    if (result === 'dismissed' || result === 'accepted') done += 1;
    else context.message(`${id} is left alone: ${LEFT_ALONE[result]}`);
  }
  if (done > 0) report(acting, done);
  return done === ids.length ? 0 : 1;
}

const LEFT_ALONE = {
  unknown: 'there is none in this ledger',
  'not dead': 'it is neither dead nor held as no longer routed',
  delivered: 'it has been delivered; with --again it is sent once more',
  superseded: 'its job’s result is known, so nobody is told of its start any more',
  open: 'it is still to be delivered',
} as const;

/** Starts a bulk action, which the service carries out in steps. */
async function allDead(acting: Acting): Promise<number> {
  const { context, options, ledger } = acting;
  const { destination, since, dismiss } = options;
  const filter = { destination, from: since === undefined ? undefined : systemClock.now() - since };
  const tally = await ledger.actions.tally(filter);
  if (tally.messages === 0) {
    context.message('nothing that matches is dead or held as no longer routed');
    return 0;
  }
  if (!(await isAgreed(acting, tallyInWords(tally)))) return 1;
  await ledger.actions.startBulk(filter, actorHere(), dismiss === true ? 'dismissed' : 'redelivered');
  report(acting, tally.messages, 'dismissed by the service while it runs');
  return 0;
}

function tallyInWords({ messages, destinations }: RedeliveryTally): string {
  const named = destinations.map((each) => `  ${each.destination}: ${each.messages}`);
  const lines = [`${counted(messages, 'message')}:`, ...named];
  return lines.map(visibleOnOneLine).join('\n');
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
async function routeAnew(acting: Acting, project: Project): Promise<number> {
  const { context, ledger, options } = acting;
  const { route: jobId = '' } = options;
  await refuseOtherConfig(context, ledger, project);
  const job = visibleOnOneLine(`job ${JSON.stringify(shortLine(jobId, LONGEST_NAME))}`);
  const { items } = await ledger.archive.callbacks({ jobId }, { limit: MOST_OF_JOB });
  if (items.length === 0) throw new CommandFailed(`no callback of ${job} is known here`);
  const decided = decidedBy(project);
  const planOf = (callback: (typeof items)[number]) => planByHand(decided, { ...callback, kind: 'callback' });
  const names = new Set(items.flatMap((callback) => planOf(callback).targets).map((to) => to.destination));
  if (names.size === 0)
    throw new CommandFailed(
      'today’s config names nobody for the callbacks of this job; `botbell route` says why',
    );
  const whom = visibleOnOneLine([...names].join(', '));
  const what = `${counted(items.length, 'callback')} of ${job}, which today’s config tells ${whom}`;
  if (!(await isAgreed(acting, what))) return 1;
  let told = 0;
  for (const callback of items.toReversed()) {
    const routed = await ledger.actions.routeAnew(callback.id, planOf(callback), actorHere());
    if (routed === 'superseded')
      context.message(`callback ${callback.id} is left alone: ${LEFT_ALONE[routed]}`);
    else told += routed?.told.length ?? 0;
  }
  if (told > 0) report(acting, told);
  else context.message('whomever today’s config names has been told, or will be');
  return 0;
}

/**
 * A service that runs another config would at once drop the deliveries added by this one.
 * @throws {CommandFailed} if services run, but none with this config
 */
async function refuseOtherConfig(
  context: CommandContext,
  ledger: DatabaseLedger,
  { configHash }: Project,
): Promise<void> {
  const living = await ledger.processes();
  if (living.length === 0 || living.some((process) => process.configHash === configHash)) return;
  throw new CommandFailed(
    `the running service has another config than ${configFileOf(context)} is now: have it load that one first (kill -HUP, or a restart), and ask again`,
  );
}
