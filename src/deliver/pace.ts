/** Pauses and paces after rate limits: when a destination, or a channel as a whole, may be sent the next message. */
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import type { ChannelPace } from '../channels/channel.ts';
import type { FailureDetails } from '../channels/failure.ts';
import type { Clock } from '../time/clock.ts';
import { type CurrentPace, isMarked, markedKey, placeOf } from '../ledger/deliveries/failing.ts';
import { channelOf } from '../ledger/ledger.ts';
import { RESERVE_MS } from './settings.ts';

/** Each further rate limit lengthens the interval by this: messages may arrive closer together than they were sent. */
const SLOWER_BY_MS = 20;

/** The end of one pause may differ by this much between the store's clock, read over a connection, and this process's. */
const SLACK_MS = 1000;

/** Whether an attempt after `waitMs` can still finish within the time that is left. */
export function fits(waitMs: number, timeLeftMs: number): boolean {
  return waitMs + RESERVE_MS <= timeLeftMs;
}

/** The pace of one destination, or of a channel as a whole. Times are by the monotonic clock. */
interface Pace {
  /** Milliseconds added to the channel type's interval. */
  slowerMs: number;
  /** When the next message may be sent, as far as this process knows. */
  freeAt: number;
  /** The pause asked of this process that ends last. It is kept to its end, whatever the store says; with a marked key, to the next config. */
  pause: Pause | undefined;
  /** When the last pause that the store knows of ends, whichever process was asked for it. */
  pausedUntil: number;
  /** Resolves when the last pause has been written, or could not be. */
  written: Promise<unknown>;
  /** How many writes of it are under way. */
  writes: number;
}

/** `concerns`: what the remote says the limit applies to. With the class `config` it is no rate limit: the remote refuses this config's login or address. */
type Failed = Pick<FailureDetails, 'class' | 'retryAfterMs' | 'concerns'>;

interface Pause {
  readonly until: number;
}

export type PaceStore = Pick<
  DatabaseLedger,
  'reservePace' | 'pausePace' | 'pausesOf' | 'forgetPaces' | 'currentPaces'
>;

export interface PacesDependencies {
  readonly clock: Clock;
  readonly store: PaceStore;
  /** Undefined: the config in force does not use the channel. */
  readonly paceOf: (channel: string) => (ChannelPace & { readonly mark: string }) | undefined;
  readonly onTrouble: (error: unknown) => void;
}

export class Paces {
  readonly #dependencies: PacesDependencies;
  /** By destination or channel; those without an entry keep no pace. */
  readonly #paces = new Map<string, Pace>();

  constructor(dependencies: PacesDependencies) {
    this.#dependencies = dependencies;
  }

  isPaced(destination: string): boolean {
    return this.#paces.size > 0 && this.#keysOf(destination).some((key) => this.#paces.has(key));
  }

  /** As far as this process knows. */
  isPaused(destination: string): boolean {
    return this.#keysOf(destination).some((key) => this.#pausedMs(this.#paces.get(key)) > 0);
  }

  /** Milliseconds until the next message may go there, as far as this process knows. */
  waitMs(destination: string): number {
    const freeAt = this.#keysOf(destination).map((key) => this.#paces.get(key)?.freeAt ?? 0);
    return Math.max(0, Math.max(...freeAt) - this.#now());
  }

  /** Milliseconds between two messages to the destination. */
  intervalMs(destination: string): number {
    return this.#everyMs(this.#paces.has(destination) ? destination : channelOf(destination));
  }

  /** Waits for the next slot of the destination and of its channel. @returns false: none comes before `until` */
  async slot(destination: string, until: number): Promise<boolean> {
    const keys = this.#keysOf(destination);
    while (this.isPaced(destination)) {
      const pauses = keys.map((key) => this.#paces.get(key)?.pause);
      for (const key of keys) await this.#paces.get(key)?.written;
      const stored = await this.#storedPauses(keys);
      for (const key of keys) if (!(await this.#waitFor(key, until))) return false;
      // A pause that began meanwhile makes both slots void, also one that another process was asked for.
      const isSame = keys.every((key, index) => this.#paces.get(key)?.pause === pauses[index]);
      if (isSame && stored === (await this.#storedPauses(keys))) return true;
    }
    return true;
  }

  /** As a text, only to be compared: these times do not say how long a pause lasts, since the store's clock may be set. */
  async #storedPauses(keys: readonly string[]): Promise<string> {
    const { store, onTrouble } = this.#dependencies;
    return JSON.stringify(await store.pausesOf(keys).catch(onTrouble));
  }

  /**
   * Notes the pause that comes with a failure. If it ends less than an interval after the destination's present pause, the attempt began before that pause, and
   * only the later end counts. Else, if another destination is paused, too, the whole channel is paused, provided that its destinations share a limit.
   */
  pausedBy(destination: string, { class: failed, retryAfterMs: ms = 0, concerns }: Failed): void {
    const isOfConfig = failed === 'config';
    const keyOf = (place: string) => (isOfConfig ? this.#marked(place) : place);
    const until = this.#paces.get(keyOf(destination))?.pause?.until ?? -Infinity;
    const longerMs = this.#now() + ms - until;
    if (longerMs <= 0) return;
    const isSlower = longerMs >= this.intervalMs(destination);
    const isOfAll = concerns === 'channel' || (isSlower && !isOfConfig && this.#isAnotherPaused(destination));
    for (const place of isOfAll ? [destination, channelOf(destination)] : [destination])
      this.#pause(keyOf(place), { until: this.#now() + ms }, isSlower);
  }

  #pausedMs({ pausedUntil = 0, pause }: Partial<Pace> = {}): number {
    return Math.max(pausedUntil, pause?.until ?? 0) - this.#now();
  }

  /** Drops the channel's pauses and paces: its config has changed, so another remote or account may be behind it. */
  forget(channel: string): Promise<void> {
    return this.#forget((key) => channelOf(placeOf(key)) === channel);
  }

  /** Ends the pauses after logins that were refused: people may have mended them. */
  endLogins(): Promise<void> {
    return this.#forget(isMarked);
  }

  async #forget(isIt: (key: string) => boolean): Promise<void> {
    const { store, onTrouble } = this.#dependencies;
    const forgotten = [...this.#paces].filter(([key]) => isIt(key));
    for (const [key] of forgotten) this.#paces.delete(key);
    await Promise.all(forgotten.map(([, { written }]) => written));
    await store.forgetPaces(forgotten.map(([key]) => key)).catch(onTrouble);
  }

  /** Milliseconds until the next message, by destination or channel; none for a channel that the config does not use. */
  get waits(): readonly (readonly [key: string, ms: number])[] {
    const places = [...this.#paces.keys()].map(placeOf);
    const used = places.filter((place) => this.#dependencies.paceOf(channelOf(place)) !== undefined);
    return used.map((place) => [place, this.waitMs(place)]);
  }

  /** Reads the paces that other processes wrote, or this one before a restart. @throws {LedgerUnavailable} */
  async refresh(): Promise<void> {
    this.adopt(await this.#dependencies.store.currentPaces());
  }

  /** Takes over the store's paces, drops those that the store no longer has, and writes again the pauses that it does not know. */
  adopt(all: readonly CurrentPace[]): void {
    const current = all.filter(({ key }) => !isMarked(key) || key === this.#marked(placeOf(key)));
    const stored = new Map(current.map(({ key, nextInMs }) => [key, this.#now() + nextInMs]));
    this.#notePauses(current);
    for (const [key, pace] of this.#paces) {
      if (!stored.has(key)) this.#endRefused(key, pace);
      const until = pace.pause?.until ?? 0;
      const storedAt = stored.get(key);
      const isPaused = until > this.#now();
      if (storedAt === undefined && !isPaused) this.#paces.delete(key);
      pace.freeAt = Math.max(storedAt ?? 0, until);
      const isKnown = storedAt !== undefined && storedAt > until - SLACK_MS;
      if (isPaused && !isKnown && pace.writes === 0) this.#write(key, pace);
    }
  }

  #notePauses(current: readonly CurrentPace[]): void {
    for (const { key, pausedMs = -Infinity } of current)
      this.#paceOf(key).pausedUntil = this.#now() + pausedMs;
  }

  /** The store had its pause, and has it no more: another process has loaded a config. */
  #endRefused(key: string, pace: Pace): void {
    if (isMarked(key) && pace.pausedUntil !== 0 && pace.writes === 0) pace.pause = undefined;
    pace.pausedUntil = 0;
  }

  /** Reserves the key's next slot and waits for it. @returns false: none comes in time */
  async #waitFor(key: string, until: number): Promise<boolean> {
    const { clock, store, onTrouble } = this.#dependencies;
    const pace = this.#paces.get(key);
    if (pace === undefined) return true;
    const mostMs = Math.floor(until - this.#now() - RESERVE_MS);
    const leftMs = (pace.pause?.until ?? 0) - this.#now();
    if (mostMs < 0 || mostMs < leftMs) return false;
    const everyMs = this.#everyMs(key);
    const storedMs = await store.reservePace(key, everyMs, mostMs).catch(onTrouble);
    const inMs = storedMs === undefined ? undefined : Math.max(storedMs, leftMs);
    // No slot is free within `mostMs` then: another process may have paused the pace.
    pace.freeAt = Math.max(pace.freeAt, this.#now() + (inMs === undefined ? mostMs : inMs + everyMs));
    if (inMs !== undefined && inMs > 0) await clock.sleep(inMs);
    return inMs !== undefined;
  }

  #pause(key: string, asked: Pause, isSlower: boolean): void {
    const isPaced = this.#paces.has(key);
    const pace = this.#paceOf(key);
    if (isPaced && isSlower) pace.slowerMs += SLOWER_BY_MS;
    const { pause = asked } = pace;
    // Always a new object, by which `slot` sees that a pause began.
    pace.pause = { ...(asked.until > pause.until ? asked : pause) };
    pace.freeAt = Math.max(pace.pause.until, pace.freeAt);
    this.#write(key, pace);
  }

  /** Writes the pause to the store, for the other processes. */
  #write(key: string, pace: Pace): void {
    const { store, onTrouble } = this.#dependencies;
    const write = async () => {
      const leftMs = Math.ceil((pace.pause?.until ?? 0) - this.#now());
      await store.pausePace(key, leftMs).catch(onTrouble);
      pace.writes -= 1;
    };
    pace.writes += 1;
    pace.written = pace.written.then(write);
  }

  #paceOf(key: string): Pace {
    const known = this.#paces.get(key);
    if (known !== undefined) return known;
    const pace: Pace = {
      slowerMs: 0,
      freeAt: 0,
      pause: undefined,
      pausedUntil: 0,
      written: Promise.resolve(),
      writes: 0,
    };
    this.#paces.set(key, pace);
    return pace;
  }

  #isAnotherPaused(destination: string): boolean {
    const channel = channelOf(destination);
    if (this.#everyMs(channel) === 0) return false;
    const isAnother = (key: string) => key !== destination && key.startsWith(`${channel}:`) && !isMarked(key);
    return [...this.#paces].some(([key, pace]) => isAnother(key) && this.#pausedMs(pace) > 0);
  }

  /** Milliseconds between two messages to a destination, or by a channel as a whole. */
  #everyMs(key: string): number {
    const channel = channelOf(placeOf(key));
    const pace = this.#dependencies.paceOf(channel);
    const typeMs = placeOf(key) === channel ? pace?.channelMs : pace?.addressMs;
    return (typeMs ?? 0) + (this.#paces.get(key)?.slowerMs ?? 0);
  }

  #keysOf(destination: string): readonly string[] {
    const places = [destination, channelOf(destination)];
    return [...places, ...places.map((place) => this.#marked(place))];
  }

  /** The key of what the remote refuses of the channel's settings: processes with other settings do not know of it. */
  #marked(place: string): string {
    return markedKey(place, this.#dependencies.paceOf(channelOf(place))?.mark ?? '');
  }

  #now(): number {
    return this.#dependencies.clock.monotonic();
  }
}
