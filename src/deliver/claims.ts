/** Claims what is due and nobody waits for: callbacks accepted for later, and what Botbell has taken over. */
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import type { DueDelivery } from '../ledger/ledger.ts';
import { type Clock, UnderWay } from '../time/clock.ts';
import type { Milestone } from './alerts.ts';
import type { Dispatcher } from './dispatcher.ts';
import { channelOf, type DueDestinations } from './due.ts';
import type { ConfigFollower } from './follow-config.ts';
import type { Paces } from './pace.ts';
import { planOf, plannedFor, type RunningSettings, type Settings } from './settings.ts';

/** How often the ledger is asked for what has become due without this process's knowing. */
export const POLL_MS = 1000;

/** After the ledger is back, nothing is claimed for so long: other processes first write down whom they told meanwhile. */
const RECOVERY_MS = 2 * POLL_MS;

export interface ClaimsDependencies {
  readonly clock: Clock;
  readonly ledger: Pick<DatabaseLedger, 'claimDue' | 'dueDestinations' | 'releaseHeld'>;
  readonly due: DueDestinations;
  readonly paces: Paces;
  readonly dispatcher: Dispatcher;
  readonly follower: ConfigFollower;
  readonly settings: Pick<RunningSettings, 'current'>;
  readonly onMilestone: (milestone: Milestone) => void;
  /** There may be room for more, or more for the room. */
  readonly onMore: () => void;
}

export class Claims {
  readonly #dependencies: ClaimsDependencies;
  readonly #underWay = new UnderWay();
  #lookedAt: number;
  #polledAt = -Infinity;
  /** By the monotonic clock; Infinity while the ledger cannot be used. */
  #mayClaimFrom = -Infinity;

  constructor(dependencies: ClaimsDependencies) {
    this.#dependencies = dependencies;
    this.#lookedAt = dependencies.clock.monotonic();
  }

  /** By the monotonic clock, when it was last looked whether anything is due, whatever came of that. */
  get lookedAt(): number {
    return this.#lookedAt;
  }

  /** Something has become due for these destinations: no need to wait for the next look. */
  nudge(destinations: readonly string[]): void {
    for (const destination of destinations) this.#add(destination);
    if (destinations.length > 0) this.#dependencies.onMore();
  }

  /** Something may have become due anywhere. */
  look(): void {
    this.#polledAt = -Infinity;
    this.#dependencies.onMore();
  }

  /** Resolves when nothing is being routed anew any more. */
  idle(): Promise<void> {
    return this.#underWay.idle();
  }

  /** Looks for what is due, and has it delivered as far as there is room. @throws {LedgerUnavailable} */
  async work(): Promise<boolean> {
    const { clock, dispatcher } = this.#dependencies;
    try {
      if (clock.monotonic() >= this.#polledAt + POLL_MS) await this.#poll();
      if (this.#mayClaimFrom === Infinity) this.#mayClaimFrom = clock.monotonic() + RECOVERY_MS;
      if (clock.monotonic() < this.#mayClaimFrom) return false;
      while (!dispatcher.isStopping && (await this.#claim()) > 0);
      return false;
    } catch (error) {
      this.#mayClaimFrom = Infinity;
      throw error;
    } finally {
      this.#lookedAt = clock.monotonic();
    }
  }

  async #poll(): Promise<void> {
    const { clock, ledger, paces } = this.#dependencies;
    this.#polledAt = clock.monotonic();
    if (paces.isWorthRefreshing) await paces.refresh();
    await ledger.releaseHeld();
    for (const { destination, hasBulk } of await ledger.dueDestinations()) this.#add(destination, hasBulk);
  }

  #add(destination: string, hasBulk?: boolean): void {
    const { due, follower } = this.#dependencies;
    if (follower.isToClaim(destination)) due.add(destination, hasBulk);
  }

  /** @returns how many */
  async #claim(): Promise<number> {
    const { clock, ledger, due, settings } = this.#dependencies;
    const requests = due.requests((destination) => this.#pacedRoom(destination));
    if (requests.length === 0) return 0;
    const { current } = settings;
    // Counted from before the claim: no attempt begins after the claim has ended.
    const until = clock.monotonic() + current.answer.answerWithinMs;
    const claimed = await ledger.claimDue(requests);
    for (const request of requests) {
      const found = claimed.filter(({ record }) => record.destination === request.destination);
      due.claimed(request, found.length);
    }
    for (const each of claimed) this.#launch(each, current, until);
    return claimed.length;
  }

  /** A paced destination's next one is claimed when its slot is near, and no other waits for that. */
  #pacedRoom(destination: string): number | undefined {
    const { paces, dispatcher, follower } = this.#dependencies;
    const place = { destination, channel: channelOf(destination) };
    // What is sent nowhere keeps no pace.
    if (!paces.isPaced(place) || !follower.names(destination)) return undefined;
    return dispatcher.waitingFor(destination) === 0 && paces.waitMs(place) <= POLL_MS ? 1 : 0;
  }

  #launch(claimed: DueDelivery, settings: Settings, until: number): void {
    const { due, dispatcher, follower, onMilestone } = this.#dependencies;
    const { record, notice } = claimed;
    if (claimed.isTakenOver) onMilestone({ ...claimed, ...record, name: 'taken_over' });
    // Its claim has ended before its attempt, which is still to end.
    if (dispatcher.inHand(record.id) !== undefined) return;
    const plan = planOf(settings, notice);
    const planned = plannedFor(record, plan);
    due.count(record.destination, 1);
    const ended =
      planned === undefined
        ? follower.follow(claimed, plan, settings).then((destinations) => this.nudge(destinations))
        : dispatcher.submit({ ...claimed, planned, settings, until }).ended;
    this.#underWay.until(ended.finally(() => this.#ended(record.destination)));
  }

  #ended(destination: string): void {
    const { due, onMore } = this.#dependencies;
    due.count(destination, -1);
    if (!due.isEmpty) onMore();
  }
}
