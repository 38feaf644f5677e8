/** What a process claims at a tick, destinations in turn; what another transaction has locked is left for the next tick. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import { distinctValues, idsOf, type Tx } from '../database.ts';
import { claimTimers } from '../timers/timers.ts';
import {
  currentPaces,
  type FailingDestination,
  failingDestinations,
  type Failures,
  probeAt,
  withoutProbed,
} from './failing.ts';
import { livingIn } from '../shared/processes.ts';
import type { Notice } from '../../notice/notice.ts';
import { writeHistoryOf } from '../callbacks/history.ts';
import { noteTakers } from '../incidents/escalations.ts';
import { channelOf, type DueDelivery, type DueRequest, SUPERSEDED } from '../ledger.ts';
import { EARLIER, IS_IDLE, noticeIn, type DeliveryRow, deliveriesById } from './rows.ts';
import { updateRows, dropRecoveries, holdBack } from './deliveries.ts';
import { Counts } from '../../time/clock.ts';

export interface ClaimRequest {
  readonly scope?: ClaimScope | undefined;
  readonly tick?: TickRequest | undefined;
}

interface TickRequest {
  /** The most timers to claim, ends of holds among them; 0: none. */
  readonly timers: number;
  /** The hash of the process's config: while configs differ, those that run the one loaded last fire timers. */
  readonly configHash: string;
}

type FailingNow = Promise<readonly FailingDestination[]>;

/** Deliveries: each destination's oldest first, none behind an earlier one of its job; at most 1 MiB of bodies, or one delivery. */
export async function claim(tx: Tx, { scope, tick }: ClaimRequest) {
  const failing = failingDestinations(tx);
  // Awaited even if nothing below needs it: if this query fails, so does the call.
  const [due, ticked] = await Promise.all([
    claimInTurn(tx, scope, failing),
    tick && readTick(tx, tick, failing),
    failing,
  ]);
  return { ...due, asOf: tx.now, tick: ticked };
}

/** @returns `left`: destinations that have due deliveries left; `last`: the one that was served last */
async function claimInTurn(tx: Tx, scope: ClaimScope | undefined, known: FailingNow) {
  if (scope === undefined) return { deliveries: [], left: [], last: undefined };
  const only = scope.only && new Set(scope.only);
  const [all, failing] = await Promise.all([dueDestinations(tx), known]);
  const due = all.filter((each) => only === undefined || only.has(each));
  const { left: ready, down } = await withoutProbed(tx, due, failing);
  const left = new Set(ready);
  const requests = requestsFor(ready, {
    ...scope,
    troubled: [...scope.troubled, ...down.map(({ destination }) => destination)],
  });
  const deliveries = await claimDue(tx, requests, down);
  for (const { destination, limit } of requests)
    if (deliveries.filter(({ record }) => record.destination === destination).length < limit)
      left.delete(destination);
  return { deliveries, left: [...left], last: requests.at(-1)?.destination };
}

export type Tick = Awaited<ReturnType<typeof readTick>>;

/** @returns `isLatest`: this process's config was loaded last */
async function readTick(tx: Tx, { timers: most, configHash }: TickRequest, known: FailingNow) {
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

/** LIMIT 1, since for EXISTS PostgreSQL may read all waiting deliveries. */
export async function dueDestinations(tx: Tx): Promise<readonly string[]> {
  const waiting = distinctValues(sql`destination`, sql`deliveries WHERE state = 'pending' AND owner IS NULL`);
  const rows = await tx.all<Pick<DueRequest, 'destination'>>(sql`
    SELECT key AS destination FROM (${waiting}) AS waiting WHERE (
      SELECT id FROM deliveries WHERE state = 'pending' AND destination = key
        AND due_at <= ${tx.now} AND ${IS_IDLE} LIMIT 1) IS NOT NULL`);
  return rows.map(({ destination }) => destination);
}

/** Holds deliveries whose message is no longer true instead of claiming them, and claims what waited behind them. @param down destinations that are down */
export async function claimDue(
  tx: Tx,
  requests: readonly DueRequest[],
  down: readonly FailingDestination[],
): Promise<readonly DueDelivery[]> {
  const ids = (await Promise.all(requests.map((request) => dueIds(tx, request)))).flat();
  const rows = await deliveriesById(tx, ids);
  const outdated = rows.filter(({ isOutdated }) => isOutdated);
  await holdBack(tx, outdated, SUPERSEDED);
  const isAnyOther = await correctTellings(tx, rows);
  if (outdated.length > 0 || isAnyOther) return claimDue(tx, requests, down);
  return claimRows(tx, withinBytes(rows), down);
}

/** Has the messages say what is so by now: whether the BOT works again, and who is on its incident. @returns whether any said otherwise */
export async function correctTellings(tx: Tx, rows: readonly DeliveryRow[]): Promise<boolean> {
  return [await dropRecoveries(tx, rows), await noteTakers(tx, rows)].includes(true);
}

/** In the order of the index `deliveries_due`, which has bulk redeliveries last. `+` keeps databases from the index by `due_at`, which needs a sort of all that is due. */
async function dueIds(tx: Tx, { destination, limit, isBulkFirst }: DueRequest): Promise<readonly number[]> {
  const take = (which: Sql, most: number) => {
    const due = sql`state = 'pending' AND destination = ${destination} AND +due_at <= ${tx.now} AND ${IS_IDLE}`;
    return idsOf(
      tx,
      sql`SELECT id FROM deliveries WHERE ${due} AND ${which} AND NOT EXISTS (${EARLIER})
      ORDER BY is_bulk, callback_id LIMIT ${most} ${tx.skipLocked}`,
    );
  };
  const bulk = isBulkFirst ? await take(raw('is_bulk = 1'), limit) : [];
  const others = bulk.length === 0 ? raw('1 = 1') : sql`id NOT IN (${join(bulk)})`;
  return [...bulk, ...(await take(others, limit - bulk.length))];
}

const MOST_BYTES = 1024 * 1024;

/** The first rows that fit into `MOST_BYTES`, and at least one, however large it is. */
function withinBytes(rows: readonly DeliveryRow[]): readonly DeliveryRow[] {
  let bytes = 0;
  const tooMuch = rows.findIndex((row, index) => {
    bytes += row.bytes;
    return bytes > MOST_BYTES && index > 0;
  });
  return tooMuch === -1 ? rows : rows.slice(0, tooMuch);
}

/** The time since a delivery became due counts as waiting, not towards its age. */
async function claimRows(
  tx: Tx,
  rows: readonly DeliveryRow[],
  down: readonly FailingDestination[],
): Promise<readonly DueDelivery[]> {
  if (rows.length === 0) return [];
  const failures = new Map(down.map((each) => [each.destination, each]));
  const waited = new Map(rows.map((row) => [row.id, waitedMs(row, failures.get(row.destination))]));
  const isWhole = ({ id, dueInMs }: DeliveryRow) => waited.get(id) === -dueInMs;
  await claimAs(tx, rows.filter(isWhole), sql`${tx.now} - due_at`);
  for (const row of rows.filter((each) => !isWhole(each)))
    await claimAs(tx, [row], sql`${waited.get(row.id)}`);
  await writeHistoryOf(
    tx,
    rows.filter(({ isTakenOver }) => !isTakenOver),
    'taken_over',
  );
  const bodies = await bodiesOf(tx, rows);
  // Parsed, and so drawn, once for all recipients of a callback.
  const notices = new Map<number, Notice>();
  return rows.map((row) => {
    const { callbackId } = row;
    const notice =
      notices.get(callbackId) ?? noticeIn({ ...row, body: bodies.get(callbackId) ?? new Uint8Array() });
    notices.set(callbackId, notice);
    const ageMs = row.ageMs - (waited.get(row.id) ?? 0);
    return {
      record: { ...row, isTakenOver: true, ageMs, dueInMs: 0, claim: 'own', behind: undefined },
      kind: row.kind,
      bytes: row.bytes,
      isTakenOver: !row.isTakenOver,
      notice,
    };
  });
}

/** Milliseconds that do not count towards its age. At a destination that is down, those until the next attempt is due there do, like the backoff after a failure. */
function waitedMs({ dueInMs }: DeliveryRow, failures: Failures | undefined): number {
  const until = failures === undefined ? dueInMs : Math.min(probeAt(failures), 0);
  return -Math.round(Math.max(dueInMs, until));
}

function claimAs(tx: Tx, rows: readonly DeliveryRow[], waited: Sql): Promise<void> {
  const claimed = sql`owner = ${tx.owner}, is_taken_over = 1, waited_ms = waited_ms + ${waited}, due_at = ${tx.now}`;
  return updateRows(tx, rows, claimed);
}

export async function bodiesOf(tx: Tx, rows: readonly Pick<DeliveryRow, 'callbackId'>[]) {
  const ids = [...new Set(rows.map(({ callbackId }) => callbackId))];
  const bodies = await tx.all<{ id: number; body: Uint8Array }>(
    sql`SELECT id, body FROM callbacks WHERE id IN (${join(ids)})`,
  );
  return new Map(bodies.map(({ id, body }) => [id, body]));
}

/** What a process has in hand, and what it may send where. */
export interface ClaimScope {
  readonly last: string;
  /** The destination of each claimed delivery that no POST waits for. */
  readonly inHand: readonly string[];
  /** Destinations in trouble (`Places`). */
  readonly troubled: readonly string[];
  /** Destinations, and channels as a whole, that keep a pace or a queue: milliseconds until the next message may go there. */
  readonly waits: ReadonlyMap<string, number>;
  /** Deliveries of bulk redeliveries come first this time. */
  readonly isBulkFirst: boolean;
  /** The only destinations whose deliveries it may claim; undefined: any. */
  readonly only?: readonly string[] | undefined;
}

/** Most deliveries that a process has in hand. The last half of these places is for destinations with none in hand; those in trouble have half of all at most. */
const MOST = 512;
const HALF = MOST / 2;

/** Most claimed deliveries to one destination at a time. */
export const MOST_OF_DESTINATION = 24;

/** Most deliveries of one claim, so that POSTs are served between two. */
const MOST_OF_CLAIM = 64;

/** A paced destination's next delivery is claimed once its slot is at most so far away: the ledger is asked again only after that. */
export const POLL_MS = 1000;

/** How many of a process's places each destination has. */
export class Places extends Counts {
  /** Destinations that did not answer the last attempt, or whose attempt runs past its time. */
  readonly troubled: Set<string>;

  constructor({ inHand, troubled }: Pick<ClaimScope, 'inHand' | 'troubled'> = { inHand: [], troubled: [] }) {
    super();
    this.troubled = new Set(troubled);
    for (const destination of inHand) this.add(destination, 1);
  }

  /** How many more places it may have: its first in any case, unless all are taken, or it is in trouble and such destinations have half of them. */
  roomFor(destination: string, most: number): number {
    const { total, troubled } = this;
    const own = this.at(destination);
    const isKeptOut =
      troubled.has(destination) && [...troubled].reduce((sum, each) => sum + this.at(each), 0) >= HALF;
    const first = own === 0 && total < MOST && !isKeptOut ? 1 : 0;
    return Math.max(first, Math.min(most - own, HALF - total));
  }
}

/** How many to claim for each destination, in turn, so that a slow one does not delay the others. */
export function requestsFor(due: readonly string[], scope: ClaimScope): readonly DueRequest[] {
  const { isBulkFirst, last } = scope;
  const places = new Places(scope);
  const share = Math.max(1, Math.floor(MOST_OF_CLAIM / Math.max(1, due.length)));
  const begun = places.total;
  return inTurn(due, last).flatMap((destination) => {
    // A destination in trouble is tried with one delivery at a time.
    const most = places.troubled.has(destination) ? 1 : MOST_OF_DESTINATION;
    const left = MOST_OF_CLAIM - (places.total - begun);
    const room = places.roomFor(destination, most);
    const limit = Math.min(share, left, pacedRoom(destination, scope), room);
    if (limit <= 0) return [];
    places.add(destination, limit);
    return { destination, limit, isBulkFirst };
  });
}

/** Round robin over the sorted destinations, from the one after the last one served. */
function inTurn(due: readonly string[], last: string): readonly string[] {
  const isServed = (destination: string) => destination <= last;
  const inOrder = due.toSorted();
  return [...inOrder.filter((each) => !isServed(each)), ...inOrder.filter(isServed)];
}

function pacedRoom(destination: string, { waits }: ClaimScope): number {
  const paced = [destination, channelOf(destination)].flatMap((key) => waits.get(key) ?? []);
  if (paced.length === 0) return Infinity;
  return Math.max(...paced) <= POLL_MS ? 1 : 0;
}
