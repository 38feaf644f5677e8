/** What a process claims at a tick; what another transaction has locked is left for the next tick. */
import sql from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { claimTimers } from '../timers/timers.ts';
import { claimDue, dueDestinations } from './claim-due.ts';
import { type FailingDestination, failingDestinations, withoutProbed } from './failing.ts';
import { currentPaces } from '../shared/paces.ts';
import { livingIn } from '../shared/processes.ts';
import { requestsFor, type ClaimTurns } from './turns.ts';

export interface ClaimRequest {
  readonly turns?: ClaimTurns | undefined;
  readonly tick?: TickRequest | undefined;
}

interface TickRequest {
  /** The most timers to claim, ends of holds among them; 0: none. */
  readonly timers: number;
  /** The hash of the process's config: while configs differ, those that run the one loaded last fire timers. */
  readonly configHash: string;
}

type FailingNow = Promise<readonly FailingDestination[]>;

/** Deliveries: each destination's oldest first, none behind an earlier one of its job; 1 MiB of bodies, or one. */
export async function claim(tx: Tx, { turns, tick }: ClaimRequest) {
  const failing = failingDestinations(tx);
  const [due, ticked] = await Promise.all([claimInTurn(tx, turns, failing), tick && look(tx, tick, failing)]);
  return { ...due, asOf: tx.now, tick: ticked };
}

/** @returns `left`: destinations that have due deliveries left; `last`: the one that was served last */
async function claimInTurn(tx: Tx, turns: ClaimTurns | undefined, known: FailingNow) {
  if (turns === undefined) return { deliveries: [], left: [], last: undefined };
  const only = turns.only && new Set(turns.only);
  const [all, failing] = await Promise.all([dueDestinations(tx), known]);
  const due = all.filter((each) => only === undefined || only.has(each));
  const { left: ready, down } = await withoutProbed(tx, due, failing);
  const left = new Set(ready);
  const requests = requestsFor(ready, {
    ...turns,
    troubled: [...turns.troubled, ...down.map(({ destination }) => destination)],
  });
  const deliveries = requests.length === 0 ? [] : await claimDue(tx, requests, down);
  for (const { destination, limit } of requests)
    if (deliveries.filter(({ record }) => record.destination === destination).length < limit)
      left.delete(destination);
  return { deliveries, left: [...left], last: requests.at(-1)?.destination };
}

export type Tick = Awaited<ReturnType<typeof look>>;

/** @returns `isLatest`: this process's config was loaded last */
async function look(tx: Tx, { timers: most, configHash }: TickRequest, known: FailingNow) {
  const [state, paces, failing] = await Promise.all([
    tx.first<{ configHash: string | undefined; isBulkRunning: boolean }>(sql`
      SELECT (SELECT config_hash FROM ${livingIn(tx)} LIMIT 1) AS config_hash,
        EXISTS (SELECT 1 FROM bulks WHERE state = 'running') AS is_bulk_running`),
    currentPaces(tx),
    known,
  ]);
  const { configHash: latest = configHash, isBulkRunning = false } = state ?? {};
  const isLatest = latest === configHash;
  const timers = isLatest && most > 0 ? await claimTimers(tx, most) : [];
  return { timers, isLatest, isBulkRunning, paces, failing };
}
