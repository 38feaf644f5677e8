/** Claims what is due and nobody waits for: callbacks accepted for later, and what Botbell has taken over. */
import type { DueDelivery, DueRequest } from '../ledger/ledger.ts';
import { aboutOf } from '../notice/notice.ts';
import type { Delivering } from './delivering.ts';
import type { Dispatcher } from './dispatcher.ts';
import { channelOf } from './pace.ts';
import type { ConfigFollower } from './follow-config.ts';
import { plannedFor, planOf, type Settings } from './settings.ts';

/** How often the ledger is asked for what has become due without this process's knowing. */
export const POLL_MS = 1000;

/** After the ledger is back, nothing is claimed for so long: other processes first write down whom they told meanwhile. */
const RECOVERY_MS = 2 * POLL_MS;

export interface ClaimsDependencies extends Delivering {
  readonly dispatcher: Dispatcher;
  readonly follower: ConfigFollower;
}

export class Claims {
  readonly #dependencies: ClaimsDependencies;
  /** Destinations for which something is left to claim. */
  #left = new Set<string>();
  /** Destinations of what was claimed, by the deliveries' ids. */
  readonly #inHand = new Map<number, string>();
  /** The destination that was served last. */
  #last = '';
  /** By the monotonic clock; Infinity while the ledger cannot be used. */
  #mayClaimFrom = -Infinity;

  constructor(dependencies: ClaimsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether what comes now goes behind what is due there. */
  isBehind(destination: string): boolean {
    return this.#left.has(destination);
  }

  /** There is room for more. */
  goOn(): void {
    if (this.#left.size > 0) this.#dependencies.onDue();
  }

  /** Looks for what is due, and has it delivered as far as there is room. @throws {LedgerUnavailable} */
  async work(): Promise<void> {
    const { clock, ledger, follower } = this.#dependencies;
    try {
      const due = await ledger.dueDestinations();
      if (this.#mayClaimFrom === Infinity) this.#mayClaimFrom = clock.monotonic() + RECOVERY_MS;
      if (clock.monotonic() < this.#mayClaimFrom) return;
      await this.#claim(due.filter((destination) => follower.isToClaim(destination)));
    } catch (error) {
      this.#mayClaimFrom = Infinity;
      throw error;
    }
  }

  async #claim(due: readonly string[]): Promise<void> {
    const { clock, ledger, dispatcher, settings, onDue } = this.#dependencies;
    this.#left = new Set(due);
    const requests = this.#requestsFor(this.#inTurn(due));
    if (requests.length === 0 || dispatcher.isStopping) return;
    this.#last = requests.at(-1)?.destination ?? '';
    const { current } = settings;
    // Counted from before the claim: no attempt begins after the claim has ended.
    const until = clock.monotonic() + current.config.receiver.answerWithinMs;
    const claimed = await ledger.claimDue(requests);
    for (const { destination, limit } of requests)
      if (claimed.filter(({ record }) => record.destination === destination).length < limit)
        this.#left.delete(destination);
    for (const each of claimed) this.#launch(each, current, until);
    if (claimed.length > 0) onDue();
  }

  /** How much is claimed at once, so that no destination waits for another's trouble. @param due in their turn */
  #requestsFor(due: readonly string[]): readonly DueRequest[] {
    const share = Math.max(1, Math.floor(MOST_AT_ONCE / Math.max(1, due.length)));
    const taken = [...this.#inHand.values()];
    return due.flatMap((destination) => {
      const limit = Math.min(share, this.#pacedRoom(destination), roomFor(destination, taken));
      if (limit <= 0) return [];
      taken.push(...Array.from({ length: limit }, () => destination));
      return { destination, limit, isBulkFirst: this.#dependencies.random() < BULK_SHARE };
    });
  }

  /** Those after the last one come first. */
  #inTurn(due: readonly string[]): readonly string[] {
    const isServed = (destination: string) => destination <= this.#last;
    const inOrder = due.toSorted();
    return [...inOrder.filter((each) => !isServed(each)), ...inOrder.filter(isServed)];
  }

  /** A paced destination's next one is claimed when its slot is near, and no other waits for that. */
  #pacedRoom(destination: string): number {
    const { paces, dispatcher, follower } = this.#dependencies;
    // What is sent nowhere keeps no pace.
    if (!paces.isPaced(destination) || !follower.names(destination)) return Infinity;
    return dispatcher.waitingFor(destination) === 0 && paces.waitMs(destination) <= POLL_MS ? 1 : 0;
  }

  #launch(claimed: DueDelivery, settings: Settings, until: number): void {
    const { dispatcher, follower, onMilestone } = this.#dependencies;
    const { record, kind, notice } = claimed;
    if (claimed.isTakenOver) onMilestone({ ...claimed, ...record, name: 'taken_over' });
    // Its claim has ended before its attempt, which is still to end.
    if (dispatcher.has(record.id)) return;
    const { bot_id: botId, status } = aboutOf(notice);
    const plan = planOf(settings, { kind, botId, status, destination: record.destination });
    const planned = plannedFor(record, plan);
    this.#inHand.set(record.id, record.destination);
    const ended =
      planned === undefined
        ? follower.follow(claimed, plan, settings)
        : dispatcher.submit({ ...claimed, planned, settings, until }).ended;
    const done = ended.finally(() => {
      this.#inHand.delete(record.id);
      this.goOn();
    });
    dispatcher.until(done);
  }
}

/** Deliveries that nobody waits for, attempted at once by this process. */
const MOST_AT_ONCE = 64;

/** So many of them on one channel, and to one destination: the trouble of one leaves room for the others. */
const MOST_OF_CHANNEL = (MOST_AT_ONCE * 3) / 4;
const MOST_OF_DESTINATION = MOST_OF_CHANNEL / 2;

/** In so many of the turns of a destination, what was given back in bulk comes before what is new. */
const BULK_SHARE = 1 / 4;

function roomFor(destination: string, inHand: readonly string[]): number {
  const channel = channelOf(destination);
  return Math.min(
    MOST_AT_ONCE - inHand.length,
    MOST_OF_CHANNEL - inHand.filter((other) => channelOf(other) === channel).length,
    MOST_OF_DESTINATION - inHand.filter((other) => other === destination).length,
  );
}
