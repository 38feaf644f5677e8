/** `botbell redeliver`: gives back what is dead or held as no longer routed, or is done with it; the service's worker delivers it. */
import type {
  ActionRequest,
  Redeliverable,
  RedeliveryFilter,
  RedeliveryTally,
} from '../ledger/actions/actions.ts';
import type { LedgerBeside } from '../ledger/open-ledger.ts';
import { systemClock } from '../time/clock.ts';
import { actorHere, counted, isConfirmed, onLedger, tallyInWords, whoDelivers } from './acting.ts';
import type { CommandContext } from './context.ts';
import { loadLedgerConfig } from './load-config.ts';

export interface RedeliverOptions {
  readonly dead?: boolean;
  readonly destination?: string;
  /** Milliseconds. */
  readonly since?: number;
  readonly yes?: boolean;
  readonly dismiss?: boolean;
  readonly again?: boolean;
  readonly route?: string;
}

/** @param ids of deliveries; none: all that the options match */
export async function redeliverCommand(
  context: CommandContext,
  ids: readonly number[],
  options: RedeliverOptions,
): Promise<number> {
  const { route } = options;
  if (route !== undefined) {
    const { routeAnewCommand } = await import('./route-anew.ts');
    return routeAnewCommand(context, route, options);
  }
  const config = loadLedgerConfig(context);
  return onLedger(config, (ledger) => {
    const acting: Acting = {
      context,
      ledger,
      options,
      display: config.display,
      request: { actor: actorHere() },
    };
    return options.dead === true ? allDead(acting) : each(acting, [...new Set(ids)]);
  });
}

interface Acting {
  readonly context: CommandContext;
  readonly ledger: LedgerBeside;
  readonly options: RedeliverOptions;
  readonly display: Parameters<typeof tallyInWords>[1];
  readonly request: ActionRequest;
}

/** Of more than one delivery the question says how many there are, to whom, and how old. */
async function each(acting: Acting, ids: readonly number[]): Promise<number> {
  const { context, ledger, options, display } = acting;
  const found = new Map((await ledger.actions.lookAt(ids)).map((row) => [row.id, row]));
  const rows = ids.flatMap((id) => found.get(id) ?? []).filter((row) => isWorthTrying(row, options));
  const others = ids.filter((id) => !rows.some((row) => row.id === id));
  for (const id of others) context.message(leftAlone(id, found.get(id)?.result ?? 'unknown', options));
  if (rows.length === 0) return 1;
  context.message(tallyInWords(tallyOf(rows), display));
  if (!(await isConfirmed(context, questionFor(options), options.yes))) return 1;
  let done = 0;
  for (const { id } of rows) done += (await act(acting, id)) ? 1 : 0;
  if (done > 0) context.result(await said(acting, done));
  return done === ids.length ? 0 : 1;
}

function isWorthTrying({ result }: Redeliverable, { dismiss, again }: RedeliverOptions): boolean {
  if (result === 'delivered') return again === true && dismiss !== true;
  // What is superseded may still be a dead letter that somebody wants to be done with.
  return result === 'accepted' || (dismiss === true && result === 'superseded');
}

/** @returns whether it was done */
async function act({ context, ledger, options, request }: Acting, id: number): Promise<boolean> {
  const { dismiss, again } = options;
  const result = dismiss
    ? await ledger.actions.dismiss(id, request)
    : await ledger.actions.redeliver(id, request, again === true);
  const isDone = result === 'dismissed' || result === 'accepted';
  if (!isDone) context.message(leftAlone(id, result, options));
  return isDone;
}

function leftAlone(id: number, result: string, { dismiss }: RedeliverOptions): string {
  if (result === 'unknown') return `there is no delivery ${id} in this ledger`;
  if (dismiss === true) return `${id} is left alone: it is neither dead nor held as no longer routed`;
  const because: Readonly<Record<string, string>> = {
    delivered: 'it has been delivered; with --again it is sent once more',
    superseded: 'its job’s result is known, so nobody is told of its start any more',
    open: 'it is still to be delivered',
  };
  return `${id} is left alone: ${because[result] ?? result}`;
}

function tallyOf(rows: readonly Redeliverable[]): RedeliveryTally {
  const times = rows.map(({ receivedAt }) => receivedAt);
  const counts = new Map<string, number>();
  for (const { destination } of rows) counts.set(destination, (counts.get(destination) ?? 0) + 1);
  return {
    messages: rows.length,
    isMore: false,
    destinations: [...counts].map(([destination, messages]) => ({ destination, messages })),
    oldestAt: Math.min(...times),
    newestAt: Math.max(...times),
  };
}

async function allDead(acting: Acting): Promise<number> {
  const { context, ledger, options, display, request } = acting;
  const filter = filterOf(options);
  const tally = await ledger.actions.tally(filter);
  if (tally.messages === 0 && !tally.isMore) {
    context.message('nothing that matches is dead or held as no longer routed');
    return 0;
  }
  context.message(tallyInWords(tally, display));
  if (!(await isConfirmed(context, questionFor(options), options.yes))) return 1;
  const what = options.dismiss === true ? 'dismissed' : 'redelivered';
  const { id } = await ledger.actions.startBulk(filter, request, what);
  const given = await untilThrough(ledger, id);
  context.result(await said(acting, given));
  return 0;
}

function filterOf({ destination, since }: RedeliverOptions): RedeliveryFilter {
  return {
    ...(destination !== undefined && { destination }),
    ...(since !== undefined && { from: systemClock.now() - since }),
  };
}

const LOOK_MS = 200;

/** A running service goes on with it, too, and with whatever was begun before it. @returns how many were given back */
async function untilThrough({ actions }: LedgerBeside, id: number): Promise<number> {
  for (;;) {
    const { isMore, ended } = await actions.continueBulk();
    if (ended?.id === id) return ended.given;
    if (isMore) continue;
    const bulk = await actions.bulk(id);
    if (bulk === undefined) return 0;
    if (bulk.state !== 'running') return bulk.given;
    await systemClock.sleep(LOOK_MS);
  }
}

function questionFor({ dismiss }: RedeliverOptions): string {
  return dismiss === true ? 'Dismiss, so that nobody is ever told?' : 'Deliver again?';
}

async function said({ ledger, options }: Acting, count: number): Promise<string> {
  if (options.dismiss === true) return `${counted(count, 'message')} dismissed`;
  return `${counted(count, 'message')} given back: ${await whoDelivers(ledger)}`;
}
