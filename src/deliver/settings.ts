/** Settings: what one config decides about delivering, and the swap to the next config. */
import { isDeepStrictEqual } from 'node:util';
import type { CheckedCallback } from '../callback/callback.ts';
import type { Asking } from '../ledger/ledger.ts';
import type { Notice } from '../notice/notice.ts';
import type { Channel, ChannelPace, Composed } from '../channels/channel.ts';
import type { ChannelConfig, Config } from '../config/config.ts';
import type { Plan, PlanKey, PlannedTarget, Router } from '../route/router.ts';
import type { Clock } from '../time/clock.ts';

/** Milliseconds kept free before any deadline: to write an outcome and answer, or to let a channel report its failure. */
export const RESERVE_MS = 250;

export interface AddressedNotice extends PlannedTarget {
  readonly notice: Notice;
  /** Id in the ledger; undefined: the notice is not in the ledger. */
  readonly callbackId?: number | undefined;
  /** Set when a person has a delivered notice sent again: a different text each time. */
  readonly anew?: string | undefined;
}

/** The plan for callbacks, with its parts as the ledger takes them. */
export interface CallbackPlan extends Plan {
  /** JSON of the explanations. */
  readonly routing: string;
  readonly asking: Asking;
  /** Conditions `when` of the BOT's routes, each once. */
  readonly conditions: readonly string[];
  /** A route of the BOT compares its errors with the last one that was told. */
  readonly comparesErrors: boolean;
}

export type PlanFor = (callback: PlanKey) => CallbackPlan;

export interface Planning {
  readonly config: Config;
  /** Equal in all processes that run with the same config. */
  readonly configHash: string;
  readonly router: Router;
  readonly planFor: PlanFor;
  readonly destinations: ReadonlyMap<string, PlannedTarget>;
}

export interface OpenChannel {
  readonly channel: Channel;
  /** `mark`: of its settings, secrets included, too short to tell anything of them. */
  readonly pace: ChannelPace & { readonly mark: string };
}

/** Everything that one config decides about delivering; it never changes. */
export interface Settings extends Planning {
  readonly channels: ReadonlyMap<string, OpenChannel>;
  compose(addressed: AddressedNotice): Composed;
  meets(condition: string, checked: CheckedCallback): boolean;
  /** @returns an error's text without secrets, fit to be logged, answered, stored and shown */
  redact(text: string): string;
}

/** What the ledger keeps of a config: its hash, and the type of each channel by its name. */
export function runningConfig({ config, configHash: hash }: Pick<Planning, 'config' | 'configHash'>) {
  return { hash, channels: new Map([...config.channels].map(([name, { type }]) => [name, type])) };
}

/** Time for an attempt to end that continues after its POST was answered. */
const WORK_MARGIN_MS = 5000;

function workOf({ config: { receiver, delivery } }: Planning): number {
  return receiver.answerWithinMs + delivery.timeoutMs + WORK_MARGIN_MS;
}

export function openIn({ channels }: Pick<Settings, 'channels'>): readonly Channel[] {
  return [...channels.values()].map(({ channel }) => channel);
}

/** @returns the names of channels whose settings differ, whether or not routes use them; what is known of their remotes no longer holds */
export function changedChannels(
  { config: before }: Pick<Settings, 'config'>,
  { config: after }: Pick<Settings, 'config'>,
): readonly string[] {
  const isSame = (channel: ChannelConfig) =>
    isDeepStrictEqual([channel, before.proxies], [after.channels.get(channel.name), after.proxies]);
  return [...before.channels.values()].filter((each) => !isSame(each)).map(({ name }) => name);
}

/** Whether a reload has replaced the open channel: what the one before meets says nothing about the present one. */
export function isReplaced(
  channel: string,
  { channels: before }: Pick<Settings, 'channels'>,
  { channels: now }: Pick<Settings, 'channels'>,
): boolean {
  return before.get(channel)?.channel !== now.get(channel)?.channel;
}

/** The settings in force. Work takes them once, when it begins, and keeps them to its end, so that they can be swapped at any time. */
export class RunningSettings<S extends Settings = Settings> {
  /** Set by `swap` alone. */
  current: S;
  #workMs: number;
  readonly #clock: Pick<Clock, 'startTimer'>;
  readonly #onError: (error: unknown) => void;
  /** Channels of earlier settings that work under way may still use, each with the function that stops its closing timer. */
  readonly #leaving = new Map<Channel, () => void>();
  readonly #onSwap: ((next: S, previous: S) => void)[] = [];

  /** @param onError a channel could not be closed */
  constructor(first: S, clock: Pick<Clock, 'startTimer'>, onError: (error: unknown) => void) {
    this.current = first;
    this.#workMs = workOf(first);
    this.#clock = clock;
    this.#onError = onError;
  }

  /** The most milliseconds that work on one callback may take, by any settings so far. */
  get workMs(): number {
    return this.#workMs;
  }

  swap(next: S): void {
    const previous = this.current;
    const kept = openIn(next);
    this.current = next;
    this.#workMs = Math.max(this.#workMs, workOf(next));
    for (const channel of openIn(previous).filter((each) => !kept.includes(each))) {
      const stopTimer = this.#clock.startTimer(this.#workMs, () => void this.#close(channel));
      this.#leaving.set(channel, stopTimer);
    }
    for (const swapped of this.#onSwap) swapped(next, previous);
  }

  /** Called at each swap, in the order of their registration. */
  onSwap(swapped: (next: S, previous: S) => void): void {
    this.#onSwap.push(swapped);
  }

  /** Closes all open channels, even while they are used. */
  async close(): Promise<void> {
    const open = [...this.#leaving.keys(), ...openIn(this.current)];
    await Promise.all(open.map((channel) => this.#close(channel)));
  }

  async #close(channel: Channel): Promise<void> {
    this.#leaving.get(channel)?.();
    this.#leaving.delete(channel);
    await channel.close().catch(this.#onError);
  }
}
