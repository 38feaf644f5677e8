/** Which connection has to go for a new one: of the source that has most of them, the one that is least needed. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type SenderHead, sourceOf } from './sender.ts';

/** A request, and the answer to it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface Evictable {
  readonly socket: Socket;
  /** With the one that is served. */
  readonly queue: { readonly current: Exchange | undefined };
  /** Milliseconds, by a clock that nobody sets. */
  readonly activeAt: number;
}

/** What stands in the way of dropping a connection, least first. */
const IDLE = 0;
const ANSWERED = 1;
const READING = 2;
const BEING_HANDLED = 3;

/**
 * To find who has to go, all who may are looked at: a sixteenth of them is chosen at once, to go one after the other, so
 * that each new connection costs sixteen looks, however many there are and wherever they come from.
 */
const PART_CHOSEN = 16;

type ForwardedFor = SenderHead['headers']['x-forwarded-for'];

/** Of a connection that is kept. */
interface Origin {
  /** Of the last request that began; the request itself is not kept. */
  forwardedFor: ForwardedFor;
  /** Undefined until it was needed. */
  source: string | undefined;
}

interface Droppable<Connection> {
  readonly connection: Connection;
  readonly source: string;
  readonly standing: number;
}

interface Chosen<Connection> extends Droppable<Connection> {
  /** How many its source has when its turn comes. */
  readonly ofSource: number;
}

export class Eviction<Connection extends Evictable> {
  readonly #senderOf: (head: SenderHead) => string;
  readonly #origins = new Map<Connection, Origin>();
  /** To find the source of an address costs more than most requests may: it is done when room is to be made. */
  readonly #sourceUnknown = new Set<Connection>();
  readonly #counts = new Map<string, number>();
  /** Without those that were found being handled, until they are answered. */
  readonly #candidates = new Set<Connection>();
  /** The last one goes first. */
  #chosen: Chosen<Connection>[] = [];

  /** @param senderOf the address that counts for shares */
  constructor(senderOf: (head: SenderHead) => string) {
    this.#senderOf = senderOf;
  }

  add(connection: Connection): void {
    this.#origins.set(connection, { forwardedFor: undefined, source: undefined });
    this.#sourceUnknown.add(connection);
    this.#candidates.add(connection);
  }

  delete(connection: Connection): void {
    this.#count(this.#origins.get(connection)?.source, -1);
    this.#origins.delete(connection);
    this.#sourceUnknown.delete(connection);
    this.#candidates.delete(connection);
  }

  /** The connection counts for the sender of this request from now on, also when it is answered. */
  countFor(connection: Connection, { headers }: SenderHead): void {
    const origin = this.#origins.get(connection);
    const forwardedFor = headers['x-forwarded-for'];
    if (origin === undefined || origin.forwardedFor === forwardedFor) return;
    origin.forwardedFor = forwardedFor;
    this.#sourceUnknown.add(connection);
  }

  /** To be called when a request of the connection is answered. */
  reconsider(connection: Connection): void {
    if (this.#origins.has(connection)) this.#candidates.add(connection);
  }

  /** To be called from time to time: who was chosen may be needed by now, who was not may have gone silent. */
  reconsiderAll(): void {
    this.#chosen = [];
    for (const connection of this.#origins.keys()) this.#candidates.add(connection);
  }

  /** @returns undefined where all are being handled */
  next(): Connection | undefined {
    return this.#nextChosen() ?? this.#choose();
  }

  #nextChosen(): Connection | undefined {
    for (let chosen = this.#chosen.pop(); chosen !== undefined; chosen = this.#chosen.pop())
      if (this.#isStillRight(chosen)) return chosen.connection;
    return undefined;
  }

  #isStillRight({ connection, source, standing, ofSource }: Chosen<Connection>): boolean {
    const isSame = this.#origins.get(connection)?.source === source && !this.#sourceUnknown.has(connection);
    return isSame && standingOf(connection) <= standing && this.#countOf(source) >= ofSource;
  }

  #choose(): Connection | undefined {
    this.#findSources();
    const ranked = this.#ranked(this.#droppable().toSorted(leastNeededFirst));
    this.#chosen = ranked
      .toSorted((one, other) => other.ofSource - one.ofSource)
      .slice(0, Math.ceil(ranked.length / PART_CHOSEN))
      .toReversed();
    return this.#chosen.pop()?.connection;
  }

  /** @param droppable of each source in the order in which they go */
  #ranked(droppable: readonly Droppable<Connection>[]): Chosen<Connection>[] {
    const left = new Map(this.#counts);
    return droppable.map((each) => {
      const ofSource = left.get(each.source) ?? 0;
      left.set(each.source, ofSource - 1);
      return { ...each, ofSource };
    });
  }

  #findSources(): void {
    for (const connection of this.#sourceUnknown) {
      const origin = this.#origins.get(connection);
      if (origin === undefined) continue;
      const headers = { 'x-forwarded-for': origin.forwardedFor };
      const source = sourceOf(this.#senderOf({ socket: connection.socket, headers }));
      this.#count(origin.source, -1);
      this.#count(source, 1);
      origin.source = source;
    }
    this.#sourceUnknown.clear();
  }

  #droppable(): Droppable<Connection>[] {
    const droppable = [];
    for (const connection of this.#candidates) {
      const standing = standingOf(connection);
      const source = this.#origins.get(connection)?.source ?? '';
      if (standing === BEING_HANDLED) this.#candidates.delete(connection);
      else droppable.push({ connection, source, standing });
    }
    return droppable;
  }

  #countOf(source: string): number {
    return this.#counts.get(source) ?? 0;
  }

  #count(source: string | undefined, change: number): void {
    if (source === undefined) return;
    const count = this.#countOf(source) + change;
    if (count === 0) this.#counts.delete(source);
    else this.#counts.set(source, count);
  }
}

/** Of those alike, the longest silent first. */
function leastNeededFirst(one: Droppable<Evictable>, other: Droppable<Evictable>): number {
  return one.standing - other.standing || one.connection.activeAt - other.connection.activeAt;
}

function standingOf({ queue: { current } }: Evictable): number {
  if (current === undefined || current.response.writableFinished) return IDLE;
  if (current.response.headersSent) return ANSWERED;
  return current.request.complete ? BEING_HANDLED : READING;
}

/** Whether a request has not come to its end, and nothing of an answer is sent. */
export function isReading(connection: Evictable): boolean {
  return standingOf(connection) === READING;
}
