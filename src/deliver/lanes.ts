/** When each destination may be sent the next message: at once, at its pace after a rate limit, or not in time. */
import type { ChannelPace } from '../channels/channel.ts';
import type { PaceStore } from '../ledger/due/turns.ts';
import type { DeliveryTarget } from '../ledger/ledger.ts';
import type { Clock } from '../time/clock.ts';

/** After a rate limit a destination is sent so little until nothing has waited for it for a minute. */
const IDLE_MS = 60_000;

/** Longer than any pause. */
const LONGEST_WAIT_MS = 2 * 3_600_000;

/**
 * What a destination that is limited though it keeps its pace gets more time by, each time: a message may take longer to
 * the remote than the one before it, and remotes count from when it comes.
 */
const SLOWER_BY_MS = 20;

/** A wait that leaves less than this before the answer is due does not fit: the attempt after it could not finish. */
const SHORTEST_ATTEMPT_MS = 100;

/** Whether an attempt after `waitMs` can still finish before the request must be answered. */
export function fits(waitMs: number, timeLeftMs: number): boolean {
  return waitMs + SHORTEST_ATTEMPT_MS <= timeLeftMs;
}

export type LanePlace = Pick<DeliveryTarget, 'destination' | 'channel'>;

/**
 * Why a delivery was not attempted, and is Botbell's own from now on:
 * - `rate_limit`: its destination, or its channel, cannot take it in time
 * - `backlog`: earlier callbacks wait for the same destination
 * - `order`: an earlier delivery of its job is not through
 * - `share`: too many wait for its channel, BOT or job already
 * - `time`: the answer is due
 * - `stopping`: the process stops
 * - `config`: the config does not send it there any more, which the worker sees to
 */
export type Deferral = 'rate_limit' | 'backlog' | 'order' | 'share' | 'time' | 'stopping' | 'config';

/** How a delivery stands among those of its destination. */
export type Rank = 'new' | 'next' | 'slot';

/** Undefined: go. */
export type Refusal = Deferral | undefined;

export interface LanesDependencies {
  readonly clock: Clock;
  readonly store: PaceStore;
  readonly paceOf: (channel: string) => ChannelPace;
  readonly onTrouble: (error: unknown) => void;
}

/** When a message may go, and the pause after which that was said. */
interface Slot {
  readonly inMs: number;
  readonly pause: Pause | undefined;
}

/** By the monotonic clock. */
interface Pause {
  readonly since: number;
  readonly until: number;
}

/** When the last two attempts at a destination began, by the monotonic clock. */
interface Starts {
  last: number;
  before: number;
}

export class Lanes {
  readonly #dependencies: LanesDependencies;
  /** Destinations, and channels as a whole, that keep a pace, and how many milliseconds slower than their channel's type. */
  readonly #paced = new Map<string, number>();
  /** Who sleeps until a slot, by what it is a slot of; woken where that slot is void. */
  readonly #sleeping = new Map<string, Set<() => void>>();
  /** Of destinations, and of channels as a whole. */
  readonly #pauses = new Map<string, Pause>();
  /** Slots are asked for one after the other, so that they are given in the order of arrival. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #starts = new Map<string, Starts>();
  /** Destinations with more due in the ledger than was claimed. */
  readonly #backlogs = new Set<string>();
  #isStopped = false;

  constructor(dependencies: LanesDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Waits for the destination's turn.
   * @param deadline by the monotonic clock: an attempt that could not finish before it is refused at once
   * @param rank `next`: by the ledger's order nothing is before it; `slot`: its slot has come
   */
  async enter(place: LanePlace, deadline: number, rank: Rank): Promise<Refusal> {
    if (this.#isStopped) return 'stopping';
    if (deadline <= this.#now()) return 'time';
    if (rank === 'slot') return undefined;
    const { destination, channel } = place;
    if (rank === 'new' && this.#backlogs.has(destination)) return 'backlog';
    const isOpen = !this.#paced.has(destination) && !this.#paced.has(channel);
    return isOpen ? undefined : this.#enterPaced(place, deadline);
  }

  /** An attempt begins now. */
  started(destination: string): void {
    const last = this.#now();
    this.#starts.set(destination, { last, before: this.#starts.get(destination)?.last ?? -Infinity });
  }

  /**
   * The remote has limited the rate. A destination that kept its pace beside a paused one speaks for the channel.
   * @param startedAt of the attempt, by the monotonic clock: one that was under way already when the pause began says
   *   nothing new, unless it asks for a longer one
   */
  limited(place: LanePlace, ms: number, startedAt: number): void {
    const { destination, channel } = place;
    const pause = this.#pauses.get(destination);
    const isKnown = pause !== undefined && startedAt <= pause.since;
    const { addressMs } = this.#dependencies.paceOf(channel);
    if (isKnown && this.#now() + ms < pause.until + addressMs) return;
    if (!isKnown && this.#keptPace(destination, addressMs) && this.#isAnotherPaused(place))
      this.#pause(channel, ms);
    this.#pause(destination, ms);
  }

  /** Milliseconds that a destination, or a channel as a whole, is still to be left alone; 0 for none. */
  pausedMs(key: string): number {
    const pause = this.#pauses.get(key);
    return pause === undefined ? 0 : Math.max(0, pause.until - this.#now());
  }

  /** Another remote, or another account of it, is behind the channel from now on: it starts unpaused. */
  async forget(channel: string): Promise<void> {
    const isOf = (key: string) => key === channel || key.startsWith(`${channel}:`);
    for (const key of [...this.#paced.keys()].filter(isOf)) this.#paced.delete(key);
    for (const key of [...this.#pauses.keys()].filter(isOf)) this.#pauses.delete(key);
    for (const key of [...this.#sleeping.keys()].filter(isOf)) this.#wake(key);
    const { store, onTrouble } = this.#dependencies;
    const before = [...this.#turns].filter(([key]) => isOf(key)).map(([, turn]) => turn);
    await Promise.allSettled(before);
    await store.forget(channel).catch(onTrouble);
  }

  isPaced(destination: string): boolean {
    return this.#paced.has(destination);
  }

  /** Destinations, and channels as a whole, that this process leaves alone, and for how long, in milliseconds. */
  get paused(): readonly { readonly key: string; readonly ms: number }[] {
    return [...this.#pauses.keys()]
      .map((key) => ({ key, ms: this.pausedMs(key) }))
      .filter(({ ms }) => ms > 0);
  }

  /** Whether more is due for the destination than is being attempted: what comes now goes behind it. */
  setBacklog(destination: string, isThere: boolean): void {
    if (isThere) this.#backlogs.add(destination);
    else this.#backlogs.delete(destination);
  }

  /**
   * Learns from the store what other processes, or this one before its restart, know of paces, and forgets the idle ones.
   * @throws {LedgerUnavailable}
   */
  async refresh(): Promise<void> {
    const { store } = this.#dependencies;
    const known = new Set((await store.current(IDLE_MS)).map(({ destination }) => destination));
    for (const key of known) if (!this.#paced.has(key)) this.#paced.set(key, 0);
    for (const key of this.#paced.keys()) {
      if (!known.has(key) && !this.#turns.has(key)) this.#paced.delete(key);
    }
    for (const [key, pause] of this.#pauses) {
      if (this.#now() - pause.until > IDLE_MS) this.#pauses.delete(key);
    }
  }

  /** Whether there is anything that a refresh could change. */
  get isWorthRefreshing(): boolean {
    return this.#dependencies.store.isShared || this.#paced.size > 0;
  }

  /** Lets nothing more begin: who waits is refused at once. */
  stop(): void {
    this.#isStopped = true;
    for (const destination of this.#sleeping.keys()) this.#wake(destination);
  }

  /** Waits before the next attempt, unless everything stops. */
  async waitToRetry(ms: number): Promise<void> {
    if (!this.#isStopped) await this.#sleep('', ms);
  }

  /** Its own slot, and then one of its channel, where these have a pace. */
  async #enterPaced({ destination, channel }: LanePlace, deadline: number): Promise<Refusal> {
    const { addressMs, channelMs } = this.#dependencies.paceOf(channel);
    let pause: Pause | undefined;
    do {
      const own = await this.#waitForSlot(destination, addressMs, deadline);
      if (own !== undefined) return own;
      pause = this.#pauses.get(destination);
      const shared = await this.#waitForSlot(channel, channelMs, deadline);
      if (shared !== undefined) return shared;
    } while (pause !== this.#pauses.get(destination));
    return undefined;
  }

  async #waitForSlot(key: string, intervalMs: number, deadline: number): Promise<Refusal> {
    while (!this.#isStopped) {
      if (!this.#paced.has(key)) return undefined;
      const slot = await this.#slotOf(key, intervalMs, deadline);
      if (!this.#paced.has(key)) continue;
      if (slot === undefined || !fits(slot.inMs, deadline - this.#now())) return 'rate_limit';
      const isTime = slot.inMs === 0 || (await this.#sleep(key, slot.inMs));
      // A pause that began meanwhile makes the slot void.
      if (isTime && slot.pause === this.#pauses.get(key)) return this.#refusalIfStopped();
    }
    return 'stopping';
  }

  #slotOf(key: string, intervalMs: number, deadline: number): Promise<Slot | undefined> {
    const { store, onTrouble } = this.#dependencies;
    const reserve = async (): Promise<Slot | undefined> => {
      const pause = this.#pauses.get(key);
      const mostMs = Math.min(LONGEST_WAIT_MS, Math.floor(deadline - this.#now() - SHORTEST_ATTEMPT_MS));
      if (mostMs < 0) return undefined;
      const inMs = await store.reserve(key, intervalMs + (this.#paced.get(key) ?? 0), mostMs);
      return inMs === undefined ? undefined : { inMs, pause };
    };
    return this.#inTurn(key, () =>
      reserve().catch((error: unknown) => {
        onTrouble(error);
        return undefined;
      }),
    );
  }

  #pause(key: string, ms: number): void {
    const { store, onTrouble } = this.#dependencies;
    const slower = this.#paced.get(key);
    this.#paced.set(key, slower === undefined ? 0 : slower + SLOWER_BY_MS);
    const since = this.#now();
    this.#pauses.set(key, { since, until: since + ms });
    void this.#inTurn(key, () => store.pause(key, Math.ceil(ms)).catch(onTrouble));
    this.#wake(key);
  }

  /** Works once whoever came before it is through. @param work never rejects */
  #inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(key) ?? Promise.resolve()).then(work);
    this.#turns.set(key, turn);
    void turn.finally(() => {
      if (this.#turns.get(key) === turn) this.#turns.delete(key);
    });
    return turn;
  }

  /** @returns whether the time has passed; false: it was woken before */
  #sleep(key: string, ms: number): Promise<boolean> {
    const sleeping = this.#sleeping.get(key) ?? new Set<() => void>();
    this.#sleeping.set(key, sleeping);
    return new Promise((resolve) => {
      const end = (isOver: boolean) => {
        stopTimer();
        sleeping.delete(wake);
        if (sleeping.size === 0) this.#sleeping.delete(key);
        resolve(isOver);
      };
      const wake = () => end(false);
      const stopTimer = this.#dependencies.clock.startTimer(ms, () => end(true));
      sleeping.add(wake);
    });
  }

  #wake(key: string): void {
    for (const wake of this.#sleeping.get(key) ?? []) wake();
  }

  #keptPace(destination: string, intervalMs: number): boolean {
    const starts = this.#starts.get(destination);
    return starts === undefined || starts.last - starts.before >= intervalMs - SLOWER_BY_MS;
  }

  #isAnotherPaused({ destination, channel }: LanePlace): boolean {
    return [...this.#pauses.keys()].some(
      (key) => key !== destination && key.startsWith(`${channel}:`) && this.pausedMs(key) > 0,
    );
  }

  #refusalIfStopped(): Refusal {
    return this.#isStopped ? 'stopping' : undefined;
  }

  #now(): number {
    return this.#dependencies.clock.monotonic();
  }
}
