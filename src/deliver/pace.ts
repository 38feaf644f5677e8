/** Pauses and paces after rate limits: when a destination, or a channel as a whole, may be sent the next message. */
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import type { ChannelPace } from '../channels/channel.ts';
import type { FailureDetails } from '../channels/failure.ts';
import type { Clock } from '../time/clock.ts';
import type { CurrentPace } from '../ledger/deliveries/failing.ts';
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
  /** The pause asked of this process that ends last. It is kept to its end, whatever the store says; after a refused login, to the next config. */
  pause: Pause | undefined;
  /** When the last pause that the store knows of ends, whichever process was asked for it. */
  pausedUntil: number;
  /** Whether that pause is after a refused login. */
  isOfLogin: boolean;
  /** Resolves when the last pause has been written, or could not be. */
  written: Promise<unknown>;
  /** How many writes of it are under way. */
  writes: number;
}

/** `concerns`: what the remote says the limit applies to. With the class `config` it is no rate limit: the remote refuses this config's login. */
type Failed = Pick<FailureDetails, 'class' | 'retryAfterMs' | 'concerns'>;

interface Pause {
  readonly until: number;
  readonly isOfLogin: boolean;
}

export type PaceStore = Pick<
  DatabaseLedger,
  'reservePace' | 'pausePace' | 'pausesOf' | 'forgetPaces' | 'currentPaces'
>;

export interface PacesDependencies {
  readonly clock: Clock;
  readonly store: PaceStore;
  /** Undefined: the config in force does not use the channel. */
  readonly paceOf: (channel: string) => ChannelPace | undefined;
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
    return this.#paces.size > 0 && keysOf(destination).some((key) => this.#paces.has(key));
  }

  /** As far as this process knows. */
  isPaused(destination: string): boolean {
    return keysOf(destination).some((key) => this.#pausedMs(this.#paces.get(key)) > 0);
  }

  /** Milliseconds until the next message may go there, as far as this process knows. */
  waitMs(destination: string): number {
    const freeAt = keysOf(destination).map((key) => this.#paces.get(key)?.freeAt ?? 0);
    return Math.max(0, Math.max(...freeAt) - this.#now());
  }

  /** Milliseconds between two messages to the destination. */
  intervalMs(destination: string): number {
    return this.#everyMs(this.#paces.has(destination) ? destination : channelOf(destination));
  }

  /** Waits for the next slot of the destination and of its channel. @returns false: none comes before `until` */
  async slot(destination: string, until: number): Promise<boolean> {
    const keys = keysOf(destination);
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
    const until = this.#paces.get(destination)?.pause?.until ?? -Infinity;
    const longerMs = this.#now() + ms - until;
    if (longerMs <= 0) return;
    const isSlower = longerMs >= this.intervalMs(destination);
    const isOfAll = concerns === 'channel' || (isSlower && this.#isAnotherPaused(destination));
    const isOfLogin = failed === 'config';
    for (const key of isOfAll ? keysOf(destination) : [destination])
      this.#pause(key, { until: this.#now() + ms, isOfLogin }, isSlower);
  }

  #pausedMs({ pausedUntil = 0, pause }: Partial<Pace> = {}): number {
    return Math.max(pausedUntil, pause?.until ?? 0) - this.#now();
  }

  /** Drops the channel's pauses and paces: its config has changed, so another remote or account may be behind it. */
  forget(channel: string): Promise<void> {
    return this.#forget((key) => channelOf(key) === channel);
  }

  /** Ends the pauses after logins that were refused: the config may have another login now. */
  endLogins(): Promise<void> {
    return this.#forget((_, { pause, isOfLogin }) => pause?.isOfLogin === true || isOfLogin);
  }

  async #forget(isIt: (key: string, pace: Pace) => boolean): Promise<void> {
    const { store, onTrouble } = this.#dependencies;
    const forgotten = [...this.#paces].filter(([key, pace]) => isIt(key, pace));
    for (const [key] of forgotten) this.#paces.delete(key);
    await Promise.all(forgotten.map(([, { written }]) => written));
    await store.forgetPaces(forgotten.map(([key]) => key)).catch(onTrouble);
  }

  /** Milliseconds until the next message, by destination or channel; none for a channel that the config does not use. */
  get waits(): readonly (readonly [key: string, ms: number])[] {
    const used = [...this.#paces].filter(([key]) => this.#dependencies.paceOf(channelOf(key)) !== undefined);
    return used.map(([key, { freeAt }]) => [key, Math.max(0, freeAt - this.#now())]);
  }

  /** Reads the paces that other processes wrote, or this one before a restart. @throws {LedgerUnavailable} */
  async refresh(): Promise<void> {
    this.adopt(await this.#dependencies.store.currentPaces());
  }

  /** Takes over the store's paces, drops those that the store no longer has, and writes again the pauses that it does not know. */
  adopt(current: readonly CurrentPace[]): void {
    const stored = new Map(current.map(({ key, nextInMs }) => [key, this.#now() + nextInMs]));
    this.#notePauses(current);
    for (const [key, pace] of this.#paces) {
      if (!stored.has(key)) this.#endIfOfLogin(pace);
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
    for (const { key, pausedMs = -Infinity, isOfLogin } of current)
      Object.assign(this.#paceOf(key), { pausedUntil: this.#now() + pausedMs, isOfLogin });
  }

  /** The store had its pause, and has it no more: another process has loaded a config. */
  #endIfOfLogin(pace: Pace): void {
    if (pace.isOfLogin && pace.pause?.isOfLogin === true && pace.writes === 0) pace.pause = undefined;
    pace.isOfLogin = false;
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
      await store.pausePace(key, leftMs, pace.pause?.isOfLogin).catch(onTrouble);
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
      isOfLogin: false,
      written: Promise.resolve(),
      writes: 0,
    };
    this.#paces.set(key, pace);
    return pace;
  }

  #isAnotherPaused(destination: string): boolean {
    const channel = channelOf(destination);
    if (this.#everyMs(channel) === 0) return false;
    const isAnother = (key: string) => key !== destination && key.startsWith(`${channel}:`);
    return [...this.#paces].some(([key, pace]) => isAnother(key) && this.#pausedMs(pace) > 0);
  }

  /** Milliseconds between two messages to a destination, or by a channel as a whole. */
  #everyMs(key: string): number {
    const channel = channelOf(key);
    const pace = this.#dependencies.paceOf(channel);
    const typeMs = key === channel ? pace?.channelMs : pace?.addressMs;
    return (typeMs ?? 0) + (this.#paces.get(key)?.slowerMs ?? 0);
  }

  #now(): number {
    return this.#dependencies.clock.monotonic();
  }
}

function keysOf(destination: string): readonly string[] {
  return [destination, channelOf(destination)];
}
