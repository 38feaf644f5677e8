/** `botbell redeliver --route`: routes a job's callbacks anew by today's config, and has those told who have not been. */
import { planByHand } from '../deliver/operations.ts';
import { plannedTarget } from '../deliver/settings.ts';
import type { PlanByHand, RedeliveryTally } from '../ledger/actions/actions.ts';
import type { ArchivedCallback } from '../ledger/archive/archive.ts';
import { NO_LONGER_ROUTED } from '../ledger/ledger.ts';
import type { LedgerBeside } from '../ledger/open-ledger.ts';
import { createRouter } from '../route/router.ts';
import { visibleOnOneLine } from '../text/clean.ts';
import { shortLine } from '../text/cut.ts';
import { actorHere, counted, isConfirmed, onLedger, tallyInWords, whoDelivers } from './acting.ts';
import { type CommandContext, CommandFailed, configFileOf } from './context.ts';
import { loadProject, type Project } from './load-project.ts';

/** Of a job that has more, the newest. */
const MOST_OF_JOB = 500;

const LONGEST_ID = 200;

export async function routeAnewCommand(
  context: CommandContext,
  jobId: string,
  { yes }: { readonly yes?: boolean },
): Promise<number> {
  const project = loadProject(context);
  return onLedger(project.config, async (ledger) => {
    await checkRunning(context, ledger, project);
    const callbacks = await callbacksOf(ledger, jobId);
    const planOf = planner(project);
    const planned = callbacks.map((callback) => ({ callback, plan: planOf(callback) }));
    const lacking = planned.filter(({ callback, plan }) => lackingIn(callback, plan).length > 0);
    if (lacking.length === 0) {
      context.message(nobodyIsLacking(planned));
      return planned.some(({ plan }) => plan.targets.length > 0) ? 0 : 1;
    }
    context.message(tallyInWords(tallyOf(lacking), project.config.display));
    if (!(await isConfirmed(context, 'Route anew, and have them told?', yes))) return 1;
    return routeAll(context, ledger, lacking);
  });
}

interface Planned {
  readonly callback: ArchivedCallback;
  readonly plan: PlanByHand;
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

/** @throws {CommandFailed} there is none */
async function callbacksOf({ archive }: LedgerBeside, jobId: string): Promise<readonly ArchivedCallback[]> {
  const { items } = await archive.callbacks({ jobId }, { limit: MOST_OF_JOB });
  if (items.length > 0) return items.toReversed();
  throw new CommandFailed(
    visibleOnOneLine(`no callback of job ${JSON.stringify(shortLine(jobId, LONGEST_ID))} is known here`),
  );
}

function planner({ config }: Project): (callback: ArchivedCallback) => PlanByHand {
  const { routes, defaultRoute, delivery, display, channels } = config;
  const router = createRouter(routes, defaultRoute);
  const targets = delivery.alerts.map((destination) =>
    plannedTarget({ destination, templateSet: undefined }),
  );
  const { giveUpAfterMs } = delivery;
  const settings = {
    route: (callback: Parameters<typeof router.route>[0]) => router.route(callback),
    alerts: { targets, language: display.language, giveUpAfterMs },
    config: { channels: new Map([...channels].map(([name, { type }]) => [name, type])) },
  };
  return ({ botId, status }) => planByHand(settings, { kind: 'callback', botId, status });
}

/** As far as the list of a callback's deliveries tells; who was told under another name of a channel, the ledger knows. */
function lackingIn({ deliveries }: ArchivedCallback, { targets }: PlanByHand): readonly string[] {
  const standing = new Map(deliveries.map((delivery) => [delivery.destination, delivery]));
  const lacking = targets.filter(({ destination }) => {
    const delivery = standing.get(destination);
    if (delivery === undefined || delivery.state === 'dead') return true;
    return delivery.state === 'held' && delivery.hold?.code === NO_LONGER_ROUTED;
  });
  return lacking.map(({ destination }) => destination);
}

function nobodyIsLacking(planned: readonly Planned[]): string {
  return planned.some(({ plan }) => plan.targets.length > 0)
    ? 'whomever today’s config names has been told, or will be'
    : 'today’s config names nobody for the callbacks of this job; `botbell route` says why';
}

function tallyOf(lacking: readonly Planned[]): RedeliveryTally {
  const all = lacking.flatMap(({ callback, plan }) => lackingIn(callback, plan));
  const counts = new Map<string, number>();
  for (const destination of all) counts.set(destination, (counts.get(destination) ?? 0) + 1);
  const times = lacking.map(({ callback }) => callback.receivedAt);
  return {
    messages: all.length,
    isMore: false,
    destinations: [...counts].map(([destination, messages]) => ({ destination, messages })),
    oldestAt: Math.min(...times),
    newestAt: Math.max(...times),
  };
}

async function routeAll(
  context: CommandContext,
  ledger: LedgerBeside,
  lacking: readonly Planned[],
): Promise<number> {
  const request = { actor: actorHere() };
  let told = 0;
  let refused = 0;
  for (const { callback, plan } of lacking) {
    const routed = await ledger.actions.routeAnew(callback.id, plan, request);
    if (routed === 'superseded') {
      context.message(
        `callback ${callback.id} is left alone: its job’s result is known, so nobody is told of its start any more`,
      );
      refused += 1;
    } else told += routed?.told.length ?? 0;
  }
  if (told > 0) context.result(`${counted(told, 'message')} to be sent: ${await whoDelivers(ledger)}`);
  return refused === lacking.length ? 1 : 0;
}
