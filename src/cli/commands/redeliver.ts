/** `botbell redeliver`: has the service deliver dead letters and deliveries that are no longer routed, or dismisses them. */
import { planOf } from '../../deliver/plan.ts';
import { isDone, refusedOutcome } from '../../people/outcomes.ts';
import { visibleOnOneLine } from '../../text/clean.ts';
import { shortLine } from '../../text/cut.ts';
import { systemClock } from '../../time/clock.ts';
import { type LedgerAccess, withLedger } from '../with-ledger.ts';
import { actorHere, type CommandContext, CommandFailed, configFileOf, inWords } from '../context.ts';
import type { OptionsOf } from '../help.ts';
import { loadLedgerConfig, loadProject } from '../load-config.ts';

type Options = OptionsOf<'redeliver'>;

interface Acting extends LedgerAccess {
  readonly context: CommandContext;
  readonly options: Options;
}

/** @param ids ids of deliveries; empty: all that the options match */
export async function run(context: CommandContext, ids: readonly number[], options: Options) {
  const { dead = false, route } = options;
  const loaded =
    route === undefined ? { config: await loadLedgerConfig(context) } : await loadProject(context);
  return withLedger(loaded, (open) => {
    const acting = { ...open, context, options };
    if (route !== undefined) return routeAnew(acting, route);
    return dead ? allDead(acting) : eachNamed(acting, [...new Set(ids)]);
  });
}

async function eachNamed(acting: Acting, ids: readonly number[]): Promise<number> {
  const { people, options, context } = acting;
  const { say } = context;
  if (!(await isAgreed(acting, say('redeliver.messages', { count: ids.length })))) return 1;
  let done = 0;
  for (const id of ids) {
    const asked = options.dismiss
      ? people.dismiss(id, actorHere())
      : people.redeliver(id, actorHere(), options.again ?? false);
    const outcome = await asked.catch(refusedOutcome);
    if (isDone(outcome)) done += 1;
    else context.message(say('redeliver.left alone', { id, why: inWords(context, outcome) }));
  }
  if (done > 0) report(acting, done);
  return done === ids.length ? 0 : 1;
}

/** Starts a bulk action, which the service carries out in steps. */
async function allDead(acting: Acting): Promise<number> {
  const { context, options, people, ledger } = acting;
  const { destination, since, dismiss } = options;
  const filter = { destination, from: since === undefined ? undefined : systemClock.now() - since };
  const meant = dismiss === true ? 'dismissed' : 'redelivered';
  const { messages, destinations, asOf } = await ledger.archive.tally(filter, meant);
  if (messages === 0) {
    context.message(context.say(dismiss === true ? 'redeliver.nothing to dismiss' : 'redeliver.nothing'));
    return 1;
  }
  const named = destinations.map((each) => visibleOnOneLine(`  ${each.destination}: ${each.messages}`));
  const what = [context.say('redeliver.messages', { count: messages }), ...named].join('\n');
  if (!(await isAgreed(acting, what))) return 1;
  await people.startBulk({ ...filter, asOf }, actorHere(), meant);
  report(acting, messages, 'redeliver.dismissed by service');
  return 0;
}

/**
 * @param what the objects of the action, printed before the question
 * @returns whether to go on: the user agrees, or gave `--yes`
 */
async function isAgreed({ context, options }: Acting, what: string): Promise<boolean> {
  context.message(what);
  if (options.yes === true) return true;
  if (context.ask === undefined) {
    context.message(context.say('redeliver.nobody to ask'));
    return false;
  }
  const question = context.say(options.dismiss ? 'redeliver.dismiss?' : 'redeliver.again?');
  const isYes = /^\s*(?:y(?:es)?|はい)\s*$/i.test(
    (await context.ask(`${question} [y/N] `)).normalize('NFKC'),
  );
  if (!isYes) context.message(context.say('redeliver.unchanged'));
  return isYes;
}

function report(
  { context, options }: Acting,
  count: number,
  dismissed: 'redeliver.dismissed' | 'redeliver.dismissed by service' = 'redeliver.dismissed',
): void {
  context.result(context.say(options.dismiss === true ? dismissed : 'redeliver.given back', { count }));
}

/** The newest callbacks of a job; older ones are not routed anew. */
const MOST_OF_JOB = 500;

const LONGEST_NAME = 100;

/** Routes a job's callbacks by the current config, and adds the missing deliveries. */
async function routeAnew(acting: Acting, jobId: string): Promise<number> {
  const { context, ledger, people, planning } = acting;
  const { say } = context;
  await refuseOtherConfig(acting);
  const job = visibleOnOneLine(JSON.stringify(shortLine(jobId, LONGEST_NAME)));
  const { items, next } = await ledger.archive.callbacks({ jobId }, { limit: MOST_OF_JOB });
  if (items.length === 0) throw new CommandFailed(say('redeliver.no job', { job }));
  const targets = items.flatMap(
    (callback) => planOf(planning, { ...callback, kind: 'callback' }).destinations,
  );
  if (targets.length === 0) throw new CommandFailed(say('redeliver.nobody'));
  const whom = visibleOnOneLine([...new Set(targets.map(({ destination }) => destination))].join(', '));
  if (next !== undefined) context.message(say('redeliver.newest', { count: items.length }));
  const what = say('redeliver.job', { count: items.length, job, whom });
  if (!(await isAgreed(acting, what))) return 1;
  let told = 0;
  for (const { id } of items.toReversed()) {
    const outcome = await people.routeAnew(id, actorHere()).catch(refusedOutcome);
    told += (outcome.json?.['told'] as readonly string[] | undefined)?.length ?? 0;
    const why = inWords(context, outcome);
    if (!isDone(outcome)) context.message(say('redeliver.callback', { id, why }));
  }
  if (told > 0) report(acting, told);
  return told > 0 ? 0 : 1;
}

/**
 * A service that runs another config would at once drop the deliveries added by this one.
 * @throws {CommandFailed} if services run, but none with this config
 */
async function refuseOtherConfig({ context, ledger, planning: { configHash } }: Acting): Promise<void> {
  const living = await ledger.processes();
  if (living.length === 0 || living.some((process) => process.configHash === configHash)) return;
  throw new CommandFailed(context.say('redeliver.other config', { file: configFileOf(context) }));
}
