/** While the store cannot be written: tells the operators without it, and afterwards writes down how long that was, and who was turned away. */
import type { Callback } from '../callback/callback.ts';
import type { Chore } from '../deliver/chores.ts';
import type { Delivering } from '../deliver/delivering.ts';
import { noticeOfAlert } from '../notice/notice.ts';
import type { SendOnce } from '../people/test-message.ts';
import { shortLine } from '../text/cut.ts';
import { randomId } from '../text/random.ts';
import { storeTroubleOf } from './heartbeat.ts';

const LOOK_MS = 1000;

/** A process that is younger may just be waiting for its store. */
const YOUNG_MS = 60_000;

/** Once operators were told, they are not told again within this time. */
const ONCE_WITHIN_MS = 3_600_000;

/** Fewer failed looks prove nothing: a process that was suspended has written nothing either, and a database may be restarting. */
const SURE_AFTER_LOOKS = 5;

/** When to tell again if nobody could be told. */
const AGAIN_AFTER_MS = 60_000;

/** The outage is over once nothing has failed for this long. */
const SETTLED_MS = 15_000;

const MOST_BOTS = 1000;
const LONGEST_ID = 200;

interface Parts extends Pick<Delivering, 'clock' | 'ledger' | 'settings' | 'random'> {
  readonly sendOnce: SendOnce;
  /** Destinations that are not told that something is over. */
  readonly noNews: () => readonly string[];
}

/** Since when the store cannot be written (`from`: by the monotonic clock), who was told, and who was answered 503 meanwhile. */
interface Trouble {
  readonly id: string;
  readonly since: number;
  readonly from: number;
  lastAt: number;
  /** '': callbacks were answered 503, perhaps for another reason. */
  reason: string;
  /** How many looks found that the store could not be written. */
  looks: number;
  readonly told: Set<string>;
  unanswered: number;
  readonly bots: Set<string>;
}

export class Outage implements Chore {
  readonly everyMs = LOOK_MS;
  readonly #parts: Parts;
  readonly #startedAt: number;
  #mayTellFrom: number;
  #trouble: Trouble | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#startedAt = parts.clock.monotonic();
    this.#mayTellFrom = this.#startedAt + YOUNG_MS;
  }

  /** Whether the store surely cannot be written now. */
  get isOpen(): boolean {
    return (this.#trouble?.looks ?? 0) >= SURE_AFTER_LOOKS;
  }

  /** To be called for each callback that was answered 503. */
  refused({ bot_id: botId }: Callback): void {
    // That the store does not answer is known only a while later, so the reason is still unknown.
    const trouble = this.#look() ?? this.#begin('');
    trouble.unanswered += 1;
    if (trouble.bots.size < MOST_BOTS) trouble.bots.add(shortLine(botId, LONGEST_ID));
  }

  /** @throws {LedgerUnavailable} the store cannot be written yet */
  async work(): Promise<void> {
    const trouble = this.#look();
    if (trouble === undefined) return;
    const { clock } = this.#parts;
    trouble.looks += Number(storeTroubleOf(this.#parts) !== undefined);
    if (clock.monotonic() - trouble.lastAt >= SETTLED_MS) return this.end();
    if (this.isOpen) await this.#tell(trouble);
  }

  /** Also to be called before the process ends: nobody else knows of it. @throws {LedgerUnavailable} */
  async end(): Promise<void> {
    const trouble = this.#trouble;
    if (trouble === undefined || storeTroubleOf(this.#parts) !== undefined) return;
    const isKnown = trouble.reason !== '';
    if (this.isOpen || (isKnown && trouble.unanswered > 0)) await this.#writeDown(trouble);
    this.#trouble = undefined;
  }

  #look(): Trouble | undefined {
    const { clock, ledger } = this.#parts;
    const now = clock.monotonic();
    const isYoung = now - this.#startedAt < YOUNG_MS;
    const reason = storeTroubleOf(this.#parts);
    if (reason === undefined || (isYoung && ledger.trouble === undefined)) return this.#trouble;
    const trouble = this.#trouble ?? this.#begin(reason);
    trouble.lastAt = now;
    trouble.reason = reason;
    return trouble;
  }

  #begin(reason: string): Trouble {
    const { clock, random } = this.#parts;
    const now = clock.monotonic();
    const none = {
      id: randomId(random),
      looks: 0,
      told: new Set<string>(),
      unanswered: 0,
      bots: new Set<string>(),
    };
    this.#trouble = { since: clock.now(), from: now, lastAt: now, reason, ...none };
    return this.#trouble;
  }

  async #tell(trouble: Trouble): Promise<void> {
    const { clock, random, settings, sendOnce } = this.#parts;
    if (clock.monotonic() < this.#mayTellFrom) return;
    this.#mayTellFrom = clock.monotonic() + AGAIN_AFTER_MS;
    const { since, reason } = trouble;
    const subject = { template: 'store_unwritable', since, reason } as const;
    const alert = { id: randomId(random), raisedAt: clock.now(), suppressed: 0, subject };
    const sending = settings.current.config.delivery.alerts.map(async (target) => {
      const sent = await sendOnce({ ...target, notice: noticeOfAlert(alert) });
      if (sent?.receipt === undefined) return;
      trouble.told.add(target.destination);
      this.#mayTellFrom = clock.monotonic() + ONCE_WITHIN_MS;
    });
    await Promise.all(sending);
  }

  async #writeDown({ id, from, lastAt, reason, told, unanswered, bots }: Trouble): Promise<void> {
    const { ledger, clock } = this.#parts;
    const now = clock.monotonic();
    const spared = this.#parts.noNews();
    const hearing = [...told].filter((destination) => !spared.includes(destination));
    const lasted = { beganMsAgo: now - from, endedMsAgo: now - lastAt };
    const answered = { count: unanswered, bots: [...bots] };
    await ledger.recordOutage({ ...lasted, id, reason, answered, told: hearing });
  }
}
