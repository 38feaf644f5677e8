/** What the ledger's contract tests share: a store with a process, and looks into it. */
import type { Admission, DeliveryTarget, DeliveryUpdate, DueDelivery } from '../../src/ledger/ledger.ts';
import type { DatabaseLedger } from '../../src/ledger/database-ledger.ts';
import type { Callback } from '../../src/callback/callback.ts';
import { type ClaimScope, MOST_OF_DESTINATION } from '../../src/ledger/deliveries/claim.ts';
import type { ForgetPosition } from '../../src/ledger/callbacks/forget.ts';
import type { InHand } from '../../src/ledger/shared/upkeep.ts';
import type { HoldOutcome, HoldRules } from '../../src/ledger/deliveries/holds.ts';
import type { Adoption } from '../../src/ledger/timers/fire.ts';
import type { Timer } from '../../src/ledger/timers/timers.ts';
import { callbackWith } from '../support/callbacks.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { OPTIONS, type StoreUnderTest } from '../support/store-under-test.ts';
import { arrivalOf } from './arrivals.ts';
import { delivered, namesOf, NOBODY } from './updates.ts';
import { settleAll, settlementsOf } from './settlements.ts';

export type CreateStore = (clock?: ManualClock) => Promise<StoreUnderTest> | StoreUnderTest;

export const WORK_MS = OPTIONS.workMs;

/** `store.keep` of tests that do not care. */
export const KEEP_MS = 30 * 86_400_000;

/** Of a process that works on all that it has claimed. */
export const HANDS: InHand = { has: () => true, isFiring: () => true };

/** A store and one process's ledger over it, anew for each test. */
export class Bench {
  readonly store: StoreUnderTest;
  ledger: DatabaseLedger;

  protected constructor(store: StoreUnderTest, ledger: DatabaseLedger) {
    this.store = store;
    this.ledger = ledger;
  }

  static async open(createStore: CreateStore): Promise<Bench> {
    const store = await createStore();
    return new Bench(store, await store.open({ owner: 'first' }));
  }

  close(): Promise<void> {
    return this.store.close();
  }

  openAs(owner: string): Promise<DatabaseLedger> {
    return this.store.open({ owner });
  }

  arrive(fields: Partial<Callback>, planned: readonly DeliveryTarget[], by = this.ledger) {
    return by.admit(arrivalOf(callbackWith(fields), planned));
  }

  accept(fields: Partial<Callback>, planned: readonly DeliveryTarget[], by = this.ledger) {
    const arrival = arrivalOf(callbackWith(fields), planned);
    return by.admit({ ...arrival, isAccepted: true });
  }

  settle(updates: readonly DeliveryUpdate[], by = this.ledger): Promise<boolean> {
    return settleAll(by, settlementsOf(updates));
  }

  /** What has come has these outcomes at its destinations, one after the other. @returns their names */
  async settled(
    coming: Admission | Promise<Admission>,
    ...outcomes: readonly ((of: typeof NOBODY) => DeliveryUpdate)[]
  ) {
    const names = namesOf(await coming);
    await this.settle(outcomes.map((outcomeOf, place) => outcomeOf(names[place] ?? NOBODY)));
    return names;
  }

  /** Whatever is due. */
  claim(by = this.ledger, scope: Partial<ClaimScope> = {}): Promise<readonly DueDelivery[]> {
    return claimFor(by, scope);
  }

  /** The destinations of what is due, none of which is claimed. */
  async due(): Promise<readonly string[]> {
    const inHand = Array<string>(512).fill('none:none');
    return (await this.ledger.claim({ scope: { ...ANY, inHand } })).left;
  }

  /** Until there is no more. */
  async forget(doneKeptMs: number, nobodyKeptMs = doneKeptMs): Promise<void> {
    let from: ForgetPosition = { done: 0, reachedNobody: 0 };
    for (let isMore = true; isMore;)
      ({ next: from, isMore } = await this.ledger.forget({ doneKeptMs, nobodyKeptMs, from }));
  }

  /** Has what all others have claimed freed, as if they were dead: none of them has ever written a heartbeat. */
  async bury(by: DatabaseLedger): Promise<void> {
    await by.upkeep.repair(HANDS);
  }

  /** The timers that are due; they are this process's then. */
  async timers(by = this.ledger): Promise<readonly Timer[]> {
    const { tick } = await by.claim({ tick: { timers: 64, configHash: 'a' } });
    return (tick?.timers ?? []).toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Ends the holds whose time has come. @returns at how many destinations */
  async end(outcomeOf: HoldRules['decide'], by = this.ledger): Promise<number> {
    const timers = await this.timers(by);
    for (const timer of timers) await by.endHolds(timer, { decide: outcomeOf, routes: [] });
    return timers.length;
  }

  /** Has each message whose hold is over delivered by itself. @returns at how many destinations */
  release(by = this.ledger): Promise<number> {
    return this.end(() => 'pending', by);
  }

  /** Looks whether incidents are over; `unrouted`: those of which the config tells nobody. */
  care(asked: Partial<Parameters<DatabaseLedger['maintainIncidents']>[0]> = {}, by = this.ledger) {
    const nothing = { isConfigRefused: false, unrouted: [], noNews: [] };
    return by.maintainIncidents({ ...nothing, configHash: 'a', keepMs: KEEP_MS, ...asked });
  }

  /** Ids of the incidents that are open. */
  async incidents(): Promise<readonly number[]> {
    return (await this.ledger.archive.openIncidents()).map(({ id }) => id);
  }

  /** Somebody closes all that are open. @returns their ids */
  async closeAll(noNews: readonly string[] = []): Promise<readonly number[]> {
    const ids = await this.incidents();
    await this.ledger.actions.closeIncidents(ids, noNews);
    return ids;
  }

  takeUp(ids: readonly number[], by = 'kenji', because = '', noNews: readonly string[] = []) {
    return this.ledger.actions.takeUp(ids, { by, because }, noNews);
  }

  tell(due: readonly DueDelivery[]): Promise<unknown> {
    return this.settle(due.map(({ record }) => delivered(record)));
  }

  /** What is due until nothing is left, each told at once. */
  async tellAll(): Promise<readonly DueDelivery[]> {
    const told: DueDelivery[] = [];
    for (let due = await this.claim(); due.length > 0; due = await this.claim()) {
      told.push(...due);
      await this.tell(due);
    }
    return told;
  }

  /** `slack:#ops pending`, of each delivery in the order of their ids. */
  async states(): Promise<readonly string[]> {
    return (await this.deliveries()).map(({ destination, state }) => `${destination} ${state}`);
  }

  async deliveries() {
    return (await this.store.rows('deliveries')).map((row) => ({
      id: Number(row['id']),
      destination: String(row['destination']),
      state: String(row['state']),
      attempts: Number(row['attempts']),
      refusals: Number(row['refusals']),
      owner: row['owner'],
      isTakenOver: Number(row['is_taken_over']) === 1,
      reason: row['reason'],
      errorCode: row['error_code'],
      receipt: row['receipt'],
    }));
  }

  /** `attempt delivered`, of each row of the stories in their order. */
  async history(): Promise<readonly string[]> {
    const callbacks = await this.store.rows('callbacks');
    const stories = callbacks.map(({ id }) => this.ledger.archive.story(Number(id)));
    const rows = (await Promise.all(stories)).flatMap((story) => story?.history ?? []);
    return rows.map(({ what, result }) =>
      [what, result].filter((each) => typeof each === 'string').join(' '),
    );
  }
}

export const ANY: ClaimScope = { last: '', inHand: [], troubled: [], waits: new Map(), isBulkFirst: false };

export async function claimFor(by: DatabaseLedger, scope: Partial<ClaimScope> = {}) {
  return (await by.claim({ scope: { ...ANY, ...scope } })).deliveries;
}

/** What is claimed if only so many may be, of one destination. */
export function only(destination: string, most = MOST_OF_DESTINATION): Partial<ClaimScope> {
  return { only: [destination], inHand: Array<string>(MOST_OF_DESTINATION - most).fill(destination) };
}

/** What a summary tells. */
export const TOLD: HoldOutcome = { route: undefined, isPlanned: false, escalating: [] };

export const TOGETHER: HoldRules = { decide: () => TOLD, routes: [] };

/** Has the ledger hold these timers as a config asks for them. */
export function adopting(by: DatabaseLedger, asked: Partial<Adoption>): Promise<void> {
  return by.adoptTimers(false, () => ({ timers: [], ended: [], reasked: [], ...asked }));
}
