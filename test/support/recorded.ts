/** Records callbacks in a store by the ledger's own operations (admit, claim, settle), for tests of what people read and do. */
import type { Callback } from '../../src/callback/callback.ts';
import type {
  Admission,
  Arrival,
  AttemptRecord,
  CallbackResult,
  DeliveryError,
  DeliveryRecord,
  DeliveryTarget,
  DeliveryUpdate,
  RefusedBody,
  Watched,
} from '../../src/ledger/ledger.ts';
import { admit } from '../../src/ledger/callbacks/admit.ts';
import { admitArgs } from '../../src/ledger/callbacks/write-callback.ts';
import { claimDue, dueDestinations } from '../../src/ledger/deliveries/claim.ts';
import { heartbeat } from '../../src/ledger/shared/processes.ts';
import { refuse } from '../../src/ledger/incidents/signs.ts';
import { settle } from '../../src/ledger/deliveries/settle.ts';
import { deliveriesById } from '../../src/ledger/deliveries/rows.ts';
import {
  actionOperations,
  type Actions,
  type Archive,
  archiveReads,
  type CallOperation,
  methodsOver,
  operations,
} from '../../src/ledger/registry.ts';
import { arrivalOf, target } from '../contract/arrivals.ts';
import { settlementsOf } from '../contract/settlements.ts';
import { named, putOff } from '../contract/updates.ts';
import { DEAD_LETTER } from './alerts.ts';
import { callbackWith } from './callbacks.ts';
import { askingOf, OPTIONS, type StoreUnderTest } from './store-under-test.ts';

export { target } from '../contract/arrivals.ts';

const REFUSED_THERE: DeliveryError = { class: 'permanent', code: '550', message: 'no such user' };

export function deliveredUpdate(id: number): DeliveryUpdate {
  return update(id, { state: 'delivered', receipt: { ts: String(id) } });
}

export function deadUpdate(id: number, lastError = REFUSED_THERE): DeliveryUpdate {
  return update(id, { state: 'dead', lastError });
}

/** The delivery's name is known when it is settled. */
export function update(id: number, fields: Partial<DeliveryUpdate>): DeliveryUpdate {
  return putOff(named(id), 0, { lastError: undefined, ...fields });
}

type ArrivalOptions = Partial<Pick<Arrival, 'isAccepted' | 'routing' | 'startedAt' | 'body'>> & {
  readonly watched?: Partial<Watched> | undefined;
};

export class Recorded {
  readonly archive: Archive;
  readonly actions: Actions;
  readonly #store: StoreUnderTest;

  constructor(store: StoreUnderTest, owner = 'first') {
    this.#store = store;
    const call: CallOperation = (name, args) => store.call(operations[name] as never, args as never, owner);
    this.archive = methodsOver(call, archiveReads);
    this.actions = methodsOver(call, actionOperations);
  }

  /** `isAccepted`: taken over from the start, and claimed by nobody; `body`: as received, by default the callback's JSON. */
  async arrive(
    fields: Partial<Callback>,
    planned: readonly DeliveryTarget[] = [],
    { watched, ...options }: ArrivalOptions = {},
  ): Promise<Admission> {
    const now = this.#store.clock.now();
    const asking = askingOf(planned, watched && { isPlain: false, ...watched });
    const own = { startedAt: now, receivedAt: now, isAccepted: true, asking };
    const arrival = { ...arrivalOf(callbackWith(fields), planned), ...own, ...options };
    return this.#store.call(admit, [admitArgs(arrival, arrival.body, OPTIONS)]);
  }

  /** A callback that its request claimed, and that was answered once each of its deliveries had been attempted. @returns its id */
  async answered(
    fields: Partial<Callback>,
    planned: readonly DeliveryTarget[],
    updateOf: (id: number) => DeliveryUpdate = deliveredUpdate,
    result: CallbackResult = 'delivered',
    options: Partial<Pick<Arrival, 'routing' | 'startedAt' | 'body'>> = {},
  ): Promise<number> {
    const admission = await this.arrive(fields, planned, { ...options, isAccepted: false });
    await this.settle(
      admission,
      admission.deliveries.map(({ id }) => updateOf(id)),
      result,
    );
    return admission.callbackId;
  }

  async refuse(refused: RefusedBody): Promise<void> {
    const alert = { cause: 'refused', subject: DEAD_LETTER, targets: [] };
    await this.#store.call(refuse, [refused, alert]);
  }

  /** An open incident: a BOT's error. @param set columns with other values, as SQL has it */
  async incident(set = 'over_at = null'): Promise<void> {
    const columns =
      'kind, subject_key, subject, name, sign, gist, likeness, since, last_at, count, is_waiting';
    const values = "'bot', '', 'a', '', 'error', 'disk full', '', 1, 2, 1, 0";
    await this.#store.run(`insert into incidents (${columns}) values (${values})`);
    await this.#store.run(
      `update incidents set subject_key = id, ${set} where id = (select max(id) from incidents)`,
    );
  }

  async loadConfig(hash: string): Promise<void> {
    await this.#store.call(heartbeat, [{ hash, channels: new Map([['slack', 'slack']]) }]);
  }

  async claim(): Promise<readonly DeliveryRecord[]> {
    const due = await this.#store.call(dueDestinations, []);
    const requests = due.map((destination) => ({ destination, limit: 500, isBulkFirst: false }));
    const rows = await this.#store.call(claimDue, [requests, []]);
    return rows.map(({ record }) => record);
  }

  /** Settles the deliveries as if each had just been attempted. */
  async settle(
    { callbackId }: Pick<Admission, 'callbackId'>,
    deliveries: readonly DeliveryUpdate[],
    result?: CallbackResult,
  ): Promise<void> {
    const now = this.#store.clock.monotonic();
    const at = { arrivedAt: now, answeredAt: now };
    const answer = result && { ...at, status: result === 'failed' ? 502 : 200, result };
    const rows = await this.#store.call(deliveriesById, [deliveries.map(({ id }) => id)]);
    const updates = deliveries.map((each) => {
      const { destination, receivedAt } = rows.find(({ id }) => id === each.id) ?? each;
      return { ...each, destination, receivedAt };
    });
    const receivedAt = updates[0]?.receivedAt ?? (await this.#receivedAtOf(callbackId));
    for (const each of settlementsOf(updates, callbackId, answer)) {
      const settlement = { ...each, receivedAt, attempts: attemptsOf(each.update, now) };
      await this.#store.call(settle, [settlement]);
    }
  }

  async #receivedAtOf(callbackId: number): Promise<number> {
    const rows = await this.#store.rows('callbacks');
    return Number(rows.find(({ id }) => Number(id) === callbackId)?.['received_at']);
  }

  /** One callback for each job, with one dead letter each. @returns their ids */
  async deadLetters(
    jobs: readonly string[],
    fields: Partial<Callback> = {},
    to = target('slack:#ops'),
  ): Promise<readonly number[]> {
    const admissions: Admission[] = [];
    for (const job_id of jobs) admissions.push(await this.arrive({ job_id, ...fields }, [to]));
    await this.claim();
    const dead: number[] = [];
    for (const each of admissions) {
      const ids = each.deliveries.map(({ id }) => id);
      await this.settle(
        each,
        ids.map((id) => deadUpdate(id)),
      );
      dead.push(...ids);
    }
    return dead;
  }
}

function attemptsOf(update: DeliveryUpdate | undefined, begunAt: number): readonly AttemptRecord[] {
  if (update === undefined) return [];
  const { state, lastError: error } = update;
  const outcome = state === 'delivered' ? state : (error?.class ?? 'transient');
  return [{ durationMs: 3, endedAt: begunAt + 3, outcome, error }];
}
