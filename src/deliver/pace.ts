/** Pauses and paces after rate limits: when a destination, or a channel as a whole, may be sent the next message. */
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import type { ChannelPace } from '../channels/channel.ts';
import type { DeliveryTarget } from '../ledger/ledger.ts';
import type { Clock } from '../time/clock.ts';
import { RESERVE_MS } from './settings.ts';

/** After a rate limit a destination keeps its pace until nothing has been sent there for a minute. */
const IDLE_MS = 60_000;

/** Each further rate limit makes the pace so much slower: a message may take longer to the remote than the one before it. */
const SLOWER_BY_MS = 20;

/** Whether an attempt after `waitMs` can still finish within the time that is left. */
export function fits(waitMs: number, timeLeftMs: number): boolean {
  return waitMs + RESERVE_MS <= timeLeftMs;
}

export type Place = Pick<DeliveryTarget, 'destination' | 'channel'>;

/** Of one destination, or of a channel as a whole. Times are by the monotonic clock. */
interface Pace {
  /** In addition to the channel type's interval. */
  slowerMs: number;
  /** When the next message may go, as far as is known. */
  freeAt: number;
  /** The last pause that this process was asked for. */
  pause: { readonly since: number; readonly until: number } | undefined;
  /** Resolves when the last pause is in the store. */
  written: Promise<unknown>;
}

export type PaceStore = Pick<DatabaseLedger, 'reservePace' | 'pausePace' | 'forgetPaces' | 'currentPaces'>;

export interface PacesDependencies {
  readonly clock: Clock;
  readonly store: PaceStore;
  /** Undefined: nothing is sent there. */
  readonly paceOf: (channel: string) => ChannelPace | undefined;
  readonly onTrouble: (error: unknown) => void;
}

export class Paces {
  readonly #dependencies: PacesDependencies;
  /** By destination or channel: what is not here may be sent to at once. */
  readonly #paces = new Map<string, Pace>();
  #isStopped = false;

  constructor(dependencies: PacesDependencies) {
    this.#dependencies = dependencies;
  }

  isPaced({ destination, channel }: Place): boolean {
    return this.#paces.has(destination) || this.#paces.has(channel);
  }

  /** Milliseconds until the next message may go there, as far as this process knows. */
  waitMs({ destination, channel }: Place): number {
    const freeAt = [destination, channel].map((key) => this.#paces.get(key)?.freeAt ?? 0);
    return Math.max(0, Math.max(...freeAt) - this.#now());
  }

  /** Milliseconds between two messages to the destination. */
  intervalMs({ destination, channel }: Place): number {
    const { addressMs, channelMs } = this.#paceOfType(channel);
    const pace = this.#paces.get(destination);
    return pace === undefined ? channelMs : addressMs + pace.slowerMs;
  }

  /** Waits for the next slot of the destination and of its channel. @returns false: none comes before `until` */
  async slot({ destination, channel }: Place, until: number): Promise<boolean> {
    const { addressMs, channelMs } = this.#paceOfType(channel);
    for (;;) {
      const pauses = this.#pausesOf(destination, channel);
      if (!(await this.#waitFor(destination, addressMs, until))) return false;
      if (!(await this.#waitFor(channel, channelMs, until))) return false;
      // A pause that began meanwhile makes both void.
      if (this.#pausesOf(destination, channel).every((pause, index) => pause === pauses[index])) return true;
    }
  }

  /**
   * The remote asks for a pause. A second destination that is limited while another one is paused pauses the channel, where
   * its destinations share a limit.
   * @param startedAt of the attempt: one that was under way when the pause began says nothing new, unless it asks for longer
   * @param concerns what the remote said it is for
   */
  limited(place: Place, ms: number, startedAt: number, concerns: 'address' | 'channel' = 'address'): void {
    const { destination, channel } = place;
    const pause = this.#paces.get(destination)?.pause;
    const isKnown = pause !== undefined && startedAt <= pause.since;
    if (isKnown && this.#now() + ms < pause.until + this.intervalMs(place)) return;
    if (concerns === 'channel' || (!isKnown && this.#isAnotherPaused(place))) this.#pause(channel, ms);
    this.#pause(destination, ms);
  }

  /** Destinations, and channels as a whole, that asked this process to be left alone, and for how much longer. */
  get paused(): readonly { readonly key: string; readonly ms: number }[] {
    return [...this.#paces]
      .map(([key, { pause }]) => ({ key, ms: (pause?.until ?? 0) - this.#now() }))
      .filter(({ ms }) => ms > 0);
  }

  /** Another remote, or another account of it, is behind the channel from now on: it starts unpaused. */
  async forget(channel: string): Promise<void> {
    const { store, onTrouble } = this.#dependencies;
    const isOfChannel = (key: string) => key === channel || key.startsWith(`${channel}:`);
    const forgotten = [...this.#paces].filter(([key]) => isOfChannel(key));
    for (const [key] of forgotten) this.#paces.delete(key);
    await Promise.all(forgotten.map(([, { written }]) => written));
    await store.forgetPaces(channel).catch(onTrouble);
  }

  /** Learns what other processes, or this one before its restart, have written, and forgets the idle. @throws {LedgerUnavailable} */
  async refresh(): Promise<void> {
    const since = this.#now();
    const current = await this.#dependencies.store.currentPaces(IDLE_MS);
    for (const { key, nextInMs } of current) this.#paceOf(key).freeAt = this.#now() + nextInMs;
    const known = new Set(current.map(({ key }) => key));
    for (const [key, { pause }] of this.#paces)
      if (!known.has(key) && (pause?.since ?? 0) < since) this.#paces.delete(key);
  }

  /** Nobody gets a slot any more. */
  stop(): void {
    this.#isStopped = true;
  }

  #pausesOf(...keys: readonly string[]): readonly Pace['pause'][] {
    return keys.map((key) => this.#paces.get(key)?.pause);
  }

  /** @returns false: no slot comes in time */
  async #waitFor(key: string, intervalMs: number, until: number): Promise<boolean> {
    const { clock, store, onTrouble } = this.#dependencies;
    const pace = this.#paces.get(key);
    if (pace === undefined) return true;
    await pace.written;
    const mostMs = Math.floor(until - this.#now() - RESERVE_MS);
    if (this.#isStopped || mostMs < 0) return false;
    const everyMs = intervalMs + pace.slowerMs;
    const inMs = await store.reservePace(key, everyMs, mostMs).catch(onTrouble);
    if (inMs === undefined) return false;
    pace.freeAt = Math.max(pace.freeAt, this.#now() + inMs + everyMs);
    if (inMs > 0) await clock.sleep(inMs);
    return !this.#isStopped;
  }

  #pause(key: string, ms: number): void {
    const { store, onTrouble } = this.#dependencies;
    const isSlower = this.#paces.has(key);
    const pace = this.#paceOf(key);
    const since = this.#now();
    if (isSlower) pace.slowerMs += SLOWER_BY_MS;
    pace.pause = { since, until: since + ms };
    pace.freeAt = since + ms;
    pace.written = pace.written.then(() => store.pausePace(key, Math.ceil(ms)).catch(onTrouble));
  }

  #paceOf(key: string): Pace {
    const known = this.#paces.get(key);
    if (known !== undefined) return known;
    const pace: Pace = { slowerMs: 0, freeAt: 0, pause: undefined, written: Promise.resolve() };
    this.#paces.set(key, pace);
    return pace;
  }

  #isAnotherPaused({ destination, channel }: Place): boolean {
    if (this.#paceOfType(channel).channelMs === 0) return false;
    return this.paused.some(({ key }) => key !== destination && key.startsWith(`${channel}:`));
  }

  #paceOfType(channel: string): ChannelPace {
    return this.#dependencies.paceOf(channel) ?? { addressMs: 0, channelMs: 0 };
  }

  #now(): number {
    return this.#dependencies.clock.monotonic();
  }
}
