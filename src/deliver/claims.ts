/** Claims, once a tick, what Botbell does by itself: deliveries that no POST waits for, ends of holds, and timers. */
import { LARGE_BYTES } from '../callback/callback.ts';
import { type ClaimRequest, type ClaimScope, POLL_MS } from '../ledger/deliveries/claim.ts';
import { channelOf, type DueDelivery } from '../ledger/ledger.ts';
import { aboutOf, afterRendering } from '../notice/notice.ts';
import type { ConfigFollower } from './follow-config.ts';
import type { DeliveringByLoop } from './loop.ts';
import { plannedFor, planOf } from './plan.ts';
import type { Settings } from './settings.ts';
import type { Signals } from './signals.ts';

/** Nothing is claimed for this long after the ledger is back, so that other processes first write the outcomes that they kept. */
const RECOVERY_MS = 2 * POLL_MS;

/** One claim in this many takes the deliveries of bulk redeliveries before all others. */
const BULK_EVERY = 4;

export interface ClaimsDependencies extends DeliveringByLoop {
  readonly follower: ConfigFollower;
  readonly signals: Signals;
  readonly onBulk: () => void;
}

export class Claims {
  readonly #dependencies: ClaimsDependencies;
  /** The destinations of claimed deliveries that are being routed anew. */
  readonly #routedAnew: string[] = [];
  #last = '';
  /** How many claims have found deliveries. */
  #served = 0;
  /** By the monotonic clock; Infinity while the ledger cannot be used. */
  #mayClaimFrom = -Infinity;
  #nextTickAt = -Infinity;

  constructor(dependencies: ClaimsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Claims what is due, as far as there is room, and starts work on it. @throws {LedgerUnavailable} */
  async work(): Promise<void> {
    const { clock, settings } = this.#dependencies;
    const { current } = settings;
    const now = clock.monotonic();
    try {
      await this.#claim(current, now);
      if (this.#mayClaimFrom === Infinity) this.#mayClaimFrom = clock.monotonic() + RECOVERY_MS;
    } catch (error) {
      this.#mayClaimFrom = Infinity;
      throw error;
    }
  }

  async #claim(current: Settings, now: number): Promise<void> {
    const { clock, ledger, loop, signals, paces, onDue, onBulk, onMilestone } = this.#dependencies;
    const request = this.#requestAt(now, current);
    const { asOf, deliveries, left, last = this.#last, tick } = await ledger.claim(request);
    this.#last = last;
    this.#served += Number(deliveries.length > 0);
    loop.backlogged = new Set(left);
    if (tick !== undefined) {
      paces.adopt(tick.paces);
      for (const mended of loop.failing.adopt(tick.failing, clock.monotonic())) loop.endFailing(mended);
    }
    if (tick?.isBulkRunning === true) onBulk();
    // More timers may be due, so the next claim asks for them again.
    if (tick !== undefined && tick.timers.length > 0) this.#nextTickAt = -Infinity;
    for (const each of deliveries) {
      if (each.isTakenOver) onMilestone({ ...each, ...each.record, name: 'taken_over' });
      this.#launch(each, asOf);
    }
    if (deliveries.length > 0) onDue();
    if (tick !== undefined) await signals.fire(tick, asOf, current);
  }

  /** Asks for timers and paces once per `POLL_MS`, even if deliveries are claimed more often. */
  #requestAt(now: number, settings: Settings): ClaimRequest {
    const { signals, ledger } = this.#dependencies;
    const mayClaim = now >= this.#mayClaimFrom && ledger.upkeep.isHeard;
    const isTick = now >= this.#nextTickAt;
    if (isTick) this.#nextTickAt = now + POLL_MS;
    const timers = mayClaim ? signals.roomFor(settings) : 0;
    return {
      scope: mayClaim ? this.#scope() : undefined,
      tick: isTick ? { timers, configHash: settings.configHash } : undefined,
    };
  }

  #scope(): ClaimScope {
    const { paces, loop, follower, settings } = this.#dependencies;
    const { own, queued, troubled } = loop.inHand;
    const waits = new Map([
      // Nothing is sent to a destination that the config does not name, so its pace does not matter.
      ...paces.waits.filter(([key]) => key === channelOf(key) || settings.current.destinations.has(key)),
      ...queued.map((destination) => [destination, Infinity] as const),
    ]);
    return {
      last: this.#last,
      inHand: [...own, ...this.#routedAnew],
      troubled,
      waits,
      isBulkFirst: this.#served % BULK_EVERY === 0,
      only: follower.claimable,
    };
  }

  #launch(claimed: DueDelivery, asOf: number): void {
    const { clock, loop, follower, ledger } = this.#dependencies;
    const settings = this.#dependencies.settings.current;
    const until = clock.monotonic() + settings.config.receiver.answerWithinMs;
    const { record, kind, notice, bytes } = claimed;
    // It is still in hand: its claim was freed as a dead process's while its attempt was running. Or its success is not written yet.
    if (loop.has(record, () => this.#launch(claimed, asOf)) || ledger.unwritten.has(record)) return;
    const { bot_id: botId, status } = aboutOf(notice);
    const plan = planOf(settings, { kind, botId, status, destination: record.destination });
    const planned = plannedFor(record, plan);
    if (planned === undefined) return this.#routeAnew(record, follower.follow(claimed, plan, settings));
    const delivery = loop.take({ record, notice, planned, settings, until, asOf });
    // Later deliveries of its job may be in the store since before this process started.
    delivery.mayHaveNext = true;
    if (bytes > LARGE_BYTES) delivery.render(afterRendering(notice));
    loop.begin(delivery);
  }

  #routeAnew({ destination }: DueDelivery['record'], routed: Promise<void>): void {
    const { loop, onDue } = this.#dependencies;
    this.#routedAnew.push(destination);
    const done = routed.finally(() => {
      this.#routedAnew.splice(this.#routedAnew.indexOf(destination), 1);
      onDue();
    });
    loop.underWay.until(done);
  }
}
