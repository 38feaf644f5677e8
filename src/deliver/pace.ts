/** Pauses and paces after rate limits: when a destination, or a channel as a whole, may be sent the next message. */
import type { PaceStore } from '../ledger/database-ledger.ts';
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
  /** Those who sleep until their slot. */
  readonly wakes: Set<() => void>;
}

export interface PacesDependencies {
  readonly clock: Clock;
  readonly store: PaceStore;
  readonly paceOf: (channel: string) => ChannelPace;
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
    const { addressMs, channelMs } = this.#dependencies.paceOf(channel);
    const pace = this.#paces.get(destination);
    return pace === undefined ? channelMs : addressMs + pace.slowerMs;
  }

  /** Waits for the next slot of the destination and of its channel. @returns false: none comes before `until` */
  async slot({ destination, channel }: Place, until: number): Promise<boolean> {
    const { addressMs, channelMs } = this.#dependencies.paceOf(channel);
    for (;;) {
      if (!(await this.#slotOf(destination, addressMs, until))) return false;
      const pause = this.#paces.get(destination)?.pause;
      if (!(await this.#slotOf(channel, channelMs, until))) return false;
      if (this.#paces.get(destination)?.pause === pause) return true;
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
    const keys = [...this.#paces.keys()].filter((key) => key === channel || key.startsWith(`${channel}:`));
    const written = keys.map(async (key) => this.#paces.get(key)?.written);
    for (const key of keys) this.#drop(key);
    await Promise.all(written);
    await store.forget(channel).catch(onTrouble);
  }

  /** Learns what other processes, or this one before its restart, have written, and forgets the idle. @throws {LedgerUnavailable} */
  async refresh(): Promise<void> {
    const since = this.#now();
    const current = await this.#dependencies.store.current(IDLE_MS);
    for (const { key, nextInMs } of current) this.#paceOf(key).freeAt = this.#now() + nextInMs;
    const known = new Set(current.map(({ key }) => key));
    for (const [key, { pause }] of this.#paces)
      if (!known.has(key) && (pause?.since ?? 0) < since) this.#drop(key);
  }

  /** Who waits for a slot gets none. */
  stop(): void {
    this.#isStopped = true;
    for (const { wakes } of this.#paces.values()) for (const wake of wakes) wake();
  }

  async #slotOf(key: string, intervalMs: number, until: number): Promise<boolean> {
    for (;;) {
      const pace = this.#paces.get(key);
      if (pace === undefined) return true;
      const { pause } = pace;
      // A pause that begins meanwhile makes the slot void.
      const isValid = () => !this.#isStopped && pace.pause === pause && this.#paces.get(key) === pace;
      const inMs = await this.#reserve(key, pace, intervalMs + pace.slowerMs, until);
      if (inMs === undefined) return false;
      if (inMs > 0 && isValid()) await this.#sleep(pace, inMs);
      if (isValid()) return true;
    }
  }

  async #reserve(key: string, pace: Pace, intervalMs: number, until: number): Promise<number | undefined> {
    const { store, onTrouble } = this.#dependencies;
    await pace.written;
    const pausedMs = (pace.pause?.until ?? 0) - this.#now();
    const leftMs = until - this.#now();
    if (this.#isStopped || !fits(Math.max(0, pausedMs), leftMs)) return undefined;
    const mostMs = Math.floor(leftMs - RESERVE_MS);
    const inMs = await store.reserve(key, intervalMs, mostMs).catch((error: unknown) => {
      onTrouble(error);
      return undefined;
    });
    if (inMs !== undefined) pace.freeAt = Math.max(pace.freeAt, this.#now() + inMs + intervalMs);
    return inMs;
  }

  #pause(key: string, ms: number): void {
    const { store, onTrouble } = this.#dependencies;
    const isSlower = this.#paces.has(key);
    const pace = this.#paceOf(key);
    const since = this.#now();
    if (isSlower) pace.slowerMs += SLOWER_BY_MS;
    pace.pause = { since, until: since + ms };
    pace.freeAt = since + ms;
    pace.written = pace.written.then(() => store.pause(key, Math.ceil(ms)).catch(onTrouble));
    for (const wake of pace.wakes) wake();
  }

  #paceOf(key: string): Pace {
    const known = this.#paces.get(key);
    if (known !== undefined) return known;
    const pace = {
      slowerMs: 0,
      freeAt: 0,
      pause: undefined,
      written: Promise.resolve(),
      wakes: new Set<() => void>(),
    };
    this.#paces.set(key, pace);
    return pace;
  }

  #drop(key: string): void {
    const pace = this.#paces.get(key);
    this.#paces.delete(key);
    for (const wake of pace?.wakes ?? []) wake();
  }

  #sleep({ wakes }: Pace, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        stopTimer();
        wakes.delete(wake);
        resolve();
      };
      const stopTimer = this.#dependencies.clock.startTimer(ms, wake);
      wakes.add(wake);
    });
  }

  #isAnotherPaused({ destination, channel }: Place): boolean {
    if (this.#dependencies.paceOf(channel).channelMs === 0) return false;
    return this.paused.some(({ key }) => key !== destination && key.startsWith(`${channel}:`));
  }

  #now(): number {
    return this.#dependencies.clock.monotonic();
  }
}
