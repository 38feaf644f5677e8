/** Claims due deliveries that no POST waits for: of accepted callbacks, of alerts, and those taken over. */
import type { DueDelivery, DueRequest } from '../ledger/ledger.ts';
import { aboutOf } from '../notice/notice.ts';
import type { Delivering } from './delivering.ts';
import type { Dispatcher } from './dispatcher.ts';
import { channelOf } from './pace.ts';
import type { ConfigFollower } from './follow-config.ts';
import { plannedFor, planOf, type Settings } from './settings.ts';

/** How often the ledger is asked for deliveries that became due without this process knowing. */
export const POLL_MS = 1000;

/** Pause in claiming after the ledger is back, in which other processes write the outcomes that they kept. */
const RECOVERY_MS = 2 * POLL_MS;

export interface ClaimsDependencies extends Delivering {
  readonly dispatcher: Dispatcher;
  readonly follower: ConfigFollower;
}

export class Claims {
  readonly #dependencies: ClaimsDependencies;
  /** Destinations that have due deliveries left to claim. */
  #left = new Set<string>();
  /** Destinations of the claimed deliveries that are in hand, by delivery id. */
  readonly #inHand = new Map<number, string>();
  /** The destination that was served last. */
  #last = '';
  /** By the monotonic clock; Infinity while the ledger cannot be used. */
  #mayClaimFrom = -Infinity;

  constructor(dependencies: ClaimsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether new deliveries must wait behind due ones of the destination. */
  isBehind(destination: string): boolean {
    return this.#left.has(destination);
  }

  /** To be called when there is room for more claims. */
  goOn(): void {
    if (this.#left.size > 0) this.#dependencies.onDue();
  }

  /** Claims and submits due deliveries as far as there is room. @throws {LedgerUnavailable} */
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
    // Counted from before the claim, so that no attempt begins after the claim has expired.
    const until = clock.monotonic() + current.config.receiver.answerWithinMs;
    const claimed = await ledger.claimDue(requests);
    for (const { destination, limit } of requests)
      if (claimed.filter(({ record }) => record.destination === destination).length < limit)
        this.#left.delete(destination);
    for (const each of claimed) this.#launch(each, current, until);
    if (claimed.length > 0) onDue();
  }

  /** How many to claim for each destination, so that a slow one does not delay the others. @param due in order of their turns */
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

  /** Round robin over the sorted destinations, from the one after the last one served. */
  #inTurn(due: readonly string[]): readonly string[] {
    const isServed = (destination: string) => destination <= this.#last;
    const inOrder = due.toSorted();
    return [...inOrder.filter((each) => !isServed(each)), ...inOrder.filter(isServed)];
  }

  /** A paced destination's next delivery is claimed only when its slot is near and no task waits for it. */
  #pacedRoom(destination: string): number {
    const { paces, dispatcher, follower } = this.#dependencies;
    // Nothing is sent to a destination that the config does not name, so its pace does not matter.
    if (!paces.isPaced(destination) || !follower.names(destination)) return Infinity;
    return dispatcher.waitingFor(destination) === 0 && paces.waitMs(destination) <= POLL_MS ? 1 : 0;
  }

  #launch(claimed: DueDelivery, settings: Settings, until: number): void {
    const { dispatcher, follower, ledger, onMilestone } = this.#dependencies;
    const { record, kind, notice } = claimed;
    if (claimed.isTakenOver) onMilestone({ ...claimed, ...record, name: 'taken_over' });
    // Its earlier claim by this process expired while its attempt was still running, or its success could not be written.
    if (dispatcher.has(record.id) || ledger.isUnwritten(record.id)) return;
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

/** Most claimed deliveries that this process has in hand at a time. */
const MOST_AT_ONCE = 64;

/** Most of these on one channel, and to one destination, so that a slow one leaves room for the others. */
const MOST_OF_CHANNEL = (MOST_AT_ONCE * 3) / 4;
const MOST_OF_DESTINATION = MOST_OF_CHANNEL / 2;

/** The share of a destination's turns in which deliveries of a redelivery in bulk are claimed before the others. */
const BULK_SHARE = 1 / 4;

function roomFor(destination: string, inHand: readonly string[]): number {
  const channel = channelOf(destination);
  return Math.min(
    MOST_AT_ONCE - inHand.length,
    MOST_OF_CHANNEL - inHand.filter((other) => channelOf(other) === channel).length,
    MOST_OF_DESTINATION - inHand.filter((other) => other === destination).length,
  );
}
