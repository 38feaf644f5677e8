/** `botbell redeliver`: gives back what is dead or held as no longer routed, or is done with it; the service delivers it. */
import { decidedBy } from '../app/settings.ts';
import { planByHand } from '../deliver/operations.ts';
import type { ActionRequest, RedeliveryTally } from '../ledger/actions/actions.ts';
import { type LedgerBeside, openBeside } from '../ledger/open-ledger.ts';
import { visibleOnOneLine } from '../text/clean.ts';
import { shortLine } from '../text/cut.ts';
import { secretsHidden } from '../text/hide-secrets.ts';
import { systemClock } from '../time/clock.ts';
import { formatAge, formatInstant } from '../time/display.ts';
import { actorHere, type CommandContext, CommandFailed, configFileOf, failedBecause } from './context.ts';
import { loadLedgerConfig, loadProject, type Project } from './load-config.ts';

export interface RedeliverOptions {
  readonly dead?: boolean;
  readonly destination?: string;
  /** Milliseconds. */
  readonly since?: number;
  readonly yes?: boolean;
  readonly dismiss?: boolean;
  readonly again?: boolean;
  /** A job. */
  readonly route?: string;
}

interface Acting {
  readonly context: CommandContext;
  readonly options: RedeliverOptions;
  readonly ledger: LedgerBeside;
  readonly request: ActionRequest;
  readonly timezone: string;
}

/** @param ids of deliveries; none: all that the options match */
export async function redeliverCommand(
  context: CommandContext,
  ids: readonly number[],
  options: RedeliverOptions,
): Promise<number> {
  const { route: jobId } = options;
  const project = jobId === undefined ? undefined : await loadProject(context);
  const { store, secrets, display } = project?.config ?? loadLedgerConfig(context);
  let ledger: LedgerBeside | undefined;
  try {
    ledger = await openBeside(store.url, systemClock);
    const request = { actor: actorHere() };
    const acting = { context, options, ledger, request, timezone: display.timezone };
    if (project !== undefined && jobId !== undefined) return await routeAnew(acting, project, jobId);
    return await (options.dead === true ? allDead(acting) : eachNamed(acting, [...new Set(ids)]));
  } catch (error) {
    throw failedBecause(error, secretsHidden(secrets));
  } finally {
    await ledger?.close();
  }
}

async function eachNamed(acting: Acting, ids: readonly number[]): Promise<number> {
  if (!(await isAgreed(acting, counted(ids.length, 'message')))) return 1;
  let done = 0;
  for (const id of ids) if (await act(acting, id)) done += 1;
  if (done > 0) await report(acting, done);
  return done === ids.length ? 0 : 1;
}

/** @returns whether it was done */
async function act({ context, ledger, options, request }: Acting, id: number): Promise<boolean> {
  const result = options.dismiss
    ? await ledger.actions.dismiss(id, request)
    : await ledger.actions.redeliver(id, request, options.again === true);
  const isDone = result === 'dismissed' || result === 'accepted';
  if (!isDone) context.message(leftAlone(id, result, options));
  return isDone;
}

const REASONS: Readonly<Record<string, string>> = {
  delivered: 'it has been delivered; with --again it is sent once more',
  superseded: 'its job’s result is known, so nobody is told of its start any more',
  open: 'it is still to be delivered',
};

function leftAlone(id: number, result: string, { dismiss }: RedeliverOptions): string {
  if (result === 'unknown') return `there is no delivery ${id} in this ledger`;
  if (dismiss === true) return `${id} is left alone: it is neither dead nor held as no longer routed`;
  return `${id} is left alone: ${REASONS[result] ?? result}`;
}

async function allDead(acting: Acting): Promise<number> {
  const { context, ledger, request } = acting;
  const { destination, since, dismiss } = acting.options;
  const filter = { destination, from: since === undefined ? undefined : systemClock.now() - since };
  const tally = await ledger.actions.tally(filter);
  if (tally.messages === 0 && !tally.isMore) {
    context.message('nothing that matches is dead or held as no longer routed');
    return 0;
  }
  if (!(await isAgreed(acting, tallyInWords(tally, acting.timezone)))) return 1;
  const what = dismiss === true ? 'dismissed' : 'redelivered';
  const { id } = await ledger.actions.startBulk(filter, request, what);
  await report(acting, await untilThrough(ledger, id));
  return 0;
}

const LOOK_MS = 200;

/** A running service goes on with it, too. @returns how many were given back */
async function untilThrough({ actions }: LedgerBeside, id: number): Promise<number> {
  for (;;) {
    const { isMore } = await actions.continueBulk();
    const bulk = await actions.bulk(id);
    if (bulk?.state !== 'running') return bulk?.given ?? 0;
    if (!isMore) await systemClock.sleep(LOOK_MS);
  }
}

/** @param what is acted on, said before they are asked */
function isAgreed(acting: Acting, what: string): Promise<boolean> {
  acting.context.message(what);
  const { dismiss } = acting.options;
  return isConfirmed(acting, dismiss ? 'Dismiss, so that nobody is ever told?' : 'Deliver again?');
}

/** @returns whether to go on: they want to, or have said so before */
async function isConfirmed({ context, options }: Acting, question: string): Promise<boolean> {
  if (options.yes === true) return true;
  if (context.ask === undefined) {
    context.message('nothing was changed: nobody is at a terminal to be asked; with --yes it is done');
    return false;
  }
  const isYes = /^\s*y(es)?\s*$/i.test(await context.ask(`${question} [y/N] `));
  if (!isYes) context.message('nothing was changed');
  return isYes;
}

const LONGEST_NAME = 100;

/** How many, to whom, how old. */
function tallyInWords({ messages, isMore, destinations, oldestAt }: RedeliveryTally, timezone: string) {
  const named = destinations.map((each) => `  ${each.destination}: ${each.messages}`);
  const lines = [`${isMore ? 'at least ' : ''}${counted(messages, 'message')}:`, ...named];
  if (oldestAt !== undefined) {
    const age = formatAge(systemClock.now() - oldestAt, 'en');
    lines.push(`  the oldest came ${age} ago, ${formatInstant(oldestAt, timezone, 'en')}`);
  }
  return lines.map(visibleOnOneLine).join('\n');
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}

async function report({ context, ledger, options }: Acting, count: number): Promise<void> {
  if (options.dismiss === true) return context.result(`${counted(count, 'message')} dismissed`);
  const living = await ledger.processes();
  const who =
    living.length > 0
      ? 'the running service delivers them now'
      : 'no service runs on this ledger at this moment: they are delivered when one does';
  context.result(`${counted(count, 'message')} given back: ${who}`);
}

/** Of a job that has more callbacks, the newest. */
const MOST_OF_JOB = 500;

/** Routes a job's callbacks by today's config, and has those told who have not been. */
async function routeAnew(acting: Acting, project: Project, jobId: string): Promise<number> {
  const { context, ledger } = acting;
  await checkRunning(context, ledger, project);
  const job = visibleOnOneLine(`job ${JSON.stringify(shortLine(jobId, LONGEST_NAME))}`);
  const { items: callbacks } = await ledger.archive.callbacks({ jobId }, { limit: MOST_OF_JOB });
  if (callbacks.length === 0) throw new CommandFailed(`no callback of ${job} is known here`);
  const decided = decidedBy(project.config, project.configHash);
  const planned = callbacks
    .toReversed()
    .map((callback) => ({ id: callback.id, plan: planByHand(decided, { ...callback, kind: 'callback' }) }));
  const names = new Set(planned.flatMap(({ plan }) => plan.targets.map(({ destination }) => destination)));
  if (names.size === 0) {
    context.message('today’s config names nobody for the callbacks of this job; `botbell route` says why');
    return 1;
  }
  const whom = visibleOnOneLine([...names].join(', '));
  context.message(`${counted(callbacks.length, 'callback')} of ${job}, which today’s config tells ${whom}`);
  if (!(await isConfirmed(acting, 'Route anew, and tell whoever has not been told?'))) return 1;
  return tellLacking(acting, planned);
}

/**
 * A service by another config would take back at once what this one adds.
 * @throws {CommandFailed}
 */
async function checkRunning(
  context: CommandContext,
  ledger: LedgerBeside,
  { configHash }: Project,
): Promise<void> {
  const living = await ledger.processes();
  if (living.length === 0 || living.some((process) => process.configHash === configHash)) return;
  const file = configFileOf(context);
  throw new CommandFailed(
    `the running service has another config than ${file} is now: have it load that one first (kill -HUP, or a restart), and ask again`,
  );
}

async function tellLacking(
  acting: Acting,
  planned: readonly { readonly id: number; readonly plan: ReturnType<typeof planByHand> }[],
): Promise<number> {
  const { context, ledger, request } = acting;
  let told = 0;
  let refused = 0;
  for (const { id, plan } of planned) {
    const routed = await ledger.actions.routeAnew(id, plan, request);
    if (routed === 'superseded') {
      context.message(`callback ${id} is left alone: ${REASONS['superseded']}`);
      refused += 1;
    } else told += routed?.told.length ?? 0;
  }
  if (told > 0) await report(acting, told);
  else if (refused === 0) context.message('whomever today’s config names has been told, or will be');
  return refused === planned.length ? 1 : 0;
}
