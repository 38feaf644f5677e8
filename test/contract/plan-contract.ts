/** A ledger holds months of callbacks: nothing that a running service asks of it may read them all. */
import { expect } from 'chai';
import sql, { raw } from 'sql-template-tag';
import { continueBulk, startBulk } from '../../src/ledger/actions/bulks.ts';
import type { Operation } from '../../src/ledger/database.ts';
import { admit, admitArgs } from '../../src/ledger/operations/admit.ts';
import { countCallbacks } from '../../src/ledger/archive/find-callbacks.ts';
import { countOpen } from '../../src/ledger/archive/overviews.ts';
import { claim } from '../../src/ledger/operations/claim.ts';
import { claimDue, dueDestinations } from '../../src/ledger/operations/claim-due.ts';
import { takeOver } from '../../src/ledger/operations/deliveries.ts';
import { forget } from '../../src/ledger/operations/forget.ts';
import { heartbeat } from '../../src/ledger/operations/processes.ts';
import {
  BEFORE_ALL,
  hasten,
  reroute,
  revive,
  unroutedAfter,
  waitingAfter,
} from '../../src/ledger/operations/rerouting.ts';
import { refuse } from '../../src/ledger/operations/refused.ts';
import { settle } from '../../src/ledger/operations/settle.ts';
import { standing } from '../../src/ledger/signal/fire.ts';
import { digestCounts } from '../../src/ledger/signal/digest.ts';
import { endedHolds, endHolds } from '../../src/ledger/signal/holds.ts';
import { jobMessages } from '../../src/ledger/signal/job-messages.ts';
import { openRun } from '../../src/ledger/signal/runs.ts';
import { adoptTimers, destinationOf } from '../../src/ledger/signal/timers.ts';
import { DEAD_LETTER } from '../support/alerts.ts';
import { callbackWith } from '../support/callbacks.ts';
import { explained } from '../support/explained.ts';
import { Recorded } from '../support/recorded.ts';
import { OPTIONS, type StoreUnderTest } from '../support/store-under-test.ts';
import {
  answerOf,
  arrivalOf,
  type CreateStore,
  delivered,
  endOf,
  EXECUTING,
  failed,
  idsOf,
  LOG,
  OPS,
  settlementOf,
} from './ledger-under-test.ts';

export interface Planner {
  /** Put before a statement. */
  readonly explain: string;
  /** Run at the beginning of each transaction, so that a small table is treated like a large one. */
  readonly prepare?: string;
  /** A step that goes through a whole table, but for the small ones. */
  readonly wholeTable: RegExp;
}

const ACTOR = { via: 'api', user: undefined, from: '::1' } as const;

const CHANNELS = new Map([['slack', 'slack']]);

export function describePlans(name: string, createStore: CreateStore, planner: Planner): void {
  describe(`${name} finds by an index`, () => {
    let store: StoreUnderTest;
    let faults: string[] = [];

    beforeEach(async () => {
      store = await createStore();
      faults = [];
    });

    afterEach(() => store.close());

    const call = <Args extends readonly unknown[], Result>(
      operation: Operation<Args, Result>,
      ...args: Args
    ): Promise<Result> => {
      const watched = explained(operation, planner.explain, ({ statement, plan }) => {
        for (const step of plan) if (planner.wholeTable.test(step)) faults.push(`${step}: ${statement}`);
      });
      return store.call<Args, Result>(async (tx, ...given) => {
        if (planner.prepare !== undefined) await tx.all(sql`${raw(planner.prepare)}`);
        return watched(tx, ...given);
      }, args);
    };
    const arrive = async (status: 0 | 1 | 2, isAccepted = false) => {
      const arrival = arrivalOf(callbackWith({ status }), [OPS, LOG]);
      return call(admit, await admitArgs({ ...arrival, isAccepted }, OPTIONS));
    };

    it('whatever a POST asks for', async () => {
      const { callbackId, ...admission } = await arrive(0);
      const [ops, log] = idsOf(admission);
      const answer = answerOf(200, 'delivered');
      const attempt = { startedAt: 1, durationMs: 1, outcome: 'delivered', error: undefined } as const;
      const attempts = [{ ...attempt, deliveryId: ops }];
      await call(settle, { ...settlementOf([delivered(ops)], callbackId), attempts, answer });
      await arrive(EXECUTING);
      await arrive(0);
      await call(settle, settlementOf([failed(log)], callbackId));
      await call(takeOver, [log]);
      expect(faults).to.deep.equal([]);
    });

    it('what is due, what was held, what is refused and how much is open', async () => {
      await arrive(EXECUTING);
      await arrive(1, true);
      await store.passTime(OPTIONS.takeOverAfterMs);
      expect(await call(dueDestinations)).to.have.length(2);
      const requests = [OPS, LOG].map(({ destination }) => ({ destination, limit: 9, isBulkFirst: true }));
      const due = await call(claimDue, requests, OPTIONS.leaseMs);
      const hold = { reason: 'mute', heldUntil: store.clock.now() };
      await call(
        settle,
        settlementOf(due.map(({ record }) => failed(record.id, { state: 'held', ...hold }))),
      );
      const { tick } = await call(claim, { tick: { timers: 9, configHash: 'a' }, leaseMs: OPTIONS.leaseMs });
      expect(tick?.timers).to.have.length(2);
      for (const [index, timer] of (tick?.timers ?? []).entries()) {
        const { held } = await call(endedHolds, destinationOf(timer));
        await call(
          endHolds,
          endOf(timer, held, () => (index === 0 ? 'summary' : 'pending')),
        );
      }
      await call(countOpen);
      await call(countCallbacks, { state: 'pending' });
      const alert = { cause: 'refused', subject: DEAD_LETTER, targets: [OPS] };
      const refused = { receivedAt: 1, status: 422, detail: '', errors: [], from: '', body: '{}' } as const;
      await call(refuse, refused, alert);
      expect(faults).to.deep.equal([]);
    });

    it('whatever the loop asks for at a tick, and of each timer', async () => {
      const { callbackId, ...admission } = await arrive(1, true);
      const [ops, log] = idsOf(admission);
      const turns = { last: '', inHand: [], waits: {}, isBulkFirst: true };
      const tick = { timers: 9, configHash: 'a' };
      await call(claim, { turns, tick, leaseMs: OPTIONS.leaseMs });
      const waits = { isTakenOver: true, dueInMs: 60_000 };
      await call(settle, settlementOf([failed(ops, { state: 'dead' }), failed(log, waits)], callbackId));
      expect(await call(waitingAfter, BEFORE_ALL)).to.have.length(1);
      await call(hasten, [log]);
      await call(startBulk, { state: 'dead' }, ACTOR);
      expect(await call(continueBulk)).to.include({ given: 1 });
      const { digest } = await call(standing, { marginMs: 1000, isWatchingRuns: true });
      const timers = [{ key: 'digest a', kind: 'digest', dueAt: 1, data: digest }] as const;
      await call(adoptTimers, timers, ['none']);
      expect((await call(claim, { tick, leaseMs: OPTIONS.leaseMs })).tick?.timers).to.have.length(1);
      await call(digestCounts, digest, 1000);
      await call(openRun, callbackId);
      await call(jobMessages, { jobId: 'job', destination: OPS.destination, callbackId });
      expect(faults).to.deep.equal([]);
    });

    it('what a config has changed, and what is to be forgotten', async () => {
      await call(heartbeat, { hash: 'a', channels: CHANNELS });
      const { callbackId, ...admission } = await arrive(0);
      const [ops, log] = idsOf(admission);
      const update = failed(ops, { state: 'held', reason: 'no longer routed' });
      await call(reroute, {
        update,
        wanted: { botId: 'a', status: undefined, planned: [LOG], timezone: 'UTC' },
        routing: [],
        channels: CHANNELS,
      });
      expect(await call(unroutedAfter, 0)).to.have.length(1);
      await call(revive, [{ id: ops, routing: [] }], CHANNELS);
      await call(settle, settlementOf([delivered(ops), delivered(log)], callbackId));
      await store.passTime(120_000);
      const from = { done: 0, reachedNobody: 0 };
      await call(forget, { doneKeptMs: 0, nobodyKeptMs: 0, from });
      expect(await store.rows('callbacks')).to.deep.equal([]);
      expect(faults).to.deep.equal([]);
    });

    it('what people look for, and what they have done', async () => {
      await arrive(1);
      const watched = { ...store, call: (operation, args) => call(operation, ...args) } as StoreUnderTest;
      const { archive, actions } = new Recorded(watched);
      for (const filter of [
        {},
        { botId: 'a' },
        { jobId: 'a' },
        { state: 'dead' },
        { state: 'held' },
        { state: 'pending', destination: 'slack:#ops' },
      ] as const)
        await archive.callbacks(filter);
      await archive.story(1);
      await archive.delivery(1);
      await archive.deadLetters();
      await archive.destinations(['slack:#ops']);
      await archive.lastRuns([{ botId: 'a' }], 5);
      await archive.bots('', 5);
      await archive.cameSince(0);
      await actions.tally({});
      const { id } = await actions.startBulk({ state: 'dead' }, ACTOR);
      await actions.continueBulk();
      await actions.bulk(id);
      await actions.redeliver(1, ACTOR, false);
      await actions.dismiss(1, ACTOR);
      expect(faults).to.deep.equal([]);
    });
  });
}
