/**
 * What a process claims at a tick, in one transaction: deliveries that are due, ends of holds, and timers, each with a lease. A row
 * that another transaction has locked is left for the next tick.
 */
import sql from 'sql-template-tag';
import type { Tx } from '../database.ts';
import { claimTimers, type Timer } from '../signal/timers.ts';
import { claimDue, type ClaimedDelivery, dueDestinations } from './claim-due.ts';
import { currentPaces, type CurrentPace } from './paces.ts';
import { livingIn } from './processes.ts';
import { requestsFor, type Turns } from './turns.ts';

export interface ClaimRequest {
  /** Undefined: no deliveries are claimed. */
  readonly turns?: Turns | undefined;
  /** Also asks for what is looked at once a tick. */
  readonly tick?: TickRequest | undefined;
  readonly leaseMs: number;
}

interface TickRequest {
  /** The most timers to claim, ends of holds among them; 0: none. */
  readonly timers: number;
  /** The hash of the process's config: while configs differ, those that run the one loaded last fire timers. */
  readonly configHash: string;
}

export interface Claimed {
  /** The store's time. */
  readonly asOf: number;
  readonly deliveries: readonly ClaimedDelivery[];
  /** Destinations that have due deliveries left. */
  readonly left: readonly string[];
  /** The destination that was served last. */
  readonly last: string | undefined;
  readonly tick: Tick | undefined;
}

export interface Tick {
  /** Each is this process's own until its `dueAt`. */
  readonly timers: readonly Timer[];
  /** Of all living processes' configs, this process's was loaded last. */
  readonly isLatest: boolean;
  readonly isBulkRunning: boolean;
  readonly paces: readonly CurrentPace[];
}

export async function claim(tx: Tx, { turns, tick, leaseMs }: ClaimRequest): Promise<Claimed> {
  const [due, ticked] = await Promise.all([
    turns === undefined ? NOTHING_DUE : claimInTurn(tx, turns, leaseMs),
    tick && look(tx, tick, leaseMs),
  ]);
  return { ...due, asOf: tx.now, tick: ticked };
}

const NOTHING_DUE = { deliveries: [], left: [], last: undefined } as const;

async function claimInTurn(tx: Tx, turns: Turns, leaseMs: number): Promise<Omit<Claimed, 'asOf' | 'tick'>> {
  const only = turns.only && new Set(turns.only);
  const left = new Set((await dueDestinations(tx)).filter((each) => only === undefined || only.has(each)));
  const requests = requestsFor([...left], turns);
  const deliveries = requests.length === 0 ? [] : await claimDue(tx, requests, leaseMs);
  for (const { destination, limit } of requests)
    if (deliveries.filter(({ record }) => record.destination === destination).length < limit)
      left.delete(destination);
  return { deliveries, left: [...left], last: requests.at(-1)?.destination };
}

async function look(tx: Tx, { timers: most, configHash }: TickRequest, leaseMs: number): Promise<Tick> {
  const [state, paces] = await Promise.all([
    tx.first<{ configHash: string | undefined; isBulkRunning: boolean }>(sql`
      SELECT (SELECT config_hash FROM ${livingIn(tx)} LIMIT 1) AS config_hash,
        EXISTS (SELECT 1 FROM bulks WHERE state = 'running') AS is_bulk_running`),
    currentPaces(tx),
  ]);
  const { configHash: latest = configHash, isBulkRunning = false } = state ?? {};
  const isLatest = latest === configHash;
  const timers = isLatest && most > 0 ? await claimTimers(tx, most, leaseMs) : [];
  return { timers, isLatest, isBulkRunning, paces };
}
