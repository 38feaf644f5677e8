/** Two replicas that admit, settle, claim, route anew and forget at the same moment, while people act on incidents, never wait for each other in a circle. */
import type { DatabaseLedger } from '../../src/ledger/database-ledger.ts';
import { expect } from 'chai';
import type { Admission, DeliveryTarget, DueDelivery } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/time/clock.ts';
import { arrivalOf, EXECUTING, target } from '../contract/arrivals.ts';
import { claimFor } from '../contract/ledger-bench.ts';
import { answerOf, settleAll, settlementOf, settlementsOf } from '../contract/settlements.ts';
import { delivered, failed } from '../contract/updates.ts';
import { anew, forAll } from '../support/anew.ts';
import { callbackWith } from '../support/callbacks.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { createPostgresStore } from '../support/postgres-store.ts';
import { SEED } from '../support/test-size.ts';
import { Random } from '../simulation/random.ts';

const TARGETS = ['slack:#ops', 'slack:#log', 'email:a@example.com', 'email:b@example.com'].map(target);

/** Few jobs, so that everybody meets everybody. */
const JOBS = 6;
const ROUNDS = 10;
const AT_ONCE = 8;

/** What is settled may be forgotten in that moment. */
function unlessForgotten(error: Error): undefined {
  if (!error.message.includes('the store has lost')) throw error;
}

/** On a busy machine a lock, or an answer, may come after its time-out, which is no circle. */
async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!/lock timeout|in time/.test(String(error))) throw error;
    return patiently(work);
  }
}

describe('two replicas on one PostgreSQL', () => {
  const random = new Random(SEED);
  const server = forAll(() => startPostgres());
  const store = anew(() => createPostgresStore(server));

  beforeEach(async () => {
    // A circle is noticed at once, rather than dissolved before anybody looks.
    await store.run(
      `do $$ begin execute format('alter database %I set deadlock_timeout = 10', current_database()); end $$`,
    );
  });

  const below = (count: number) => random.int(0, count - 1);
  const shuffled = <Item>(items: readonly Item[]) =>
    items
      .map((item) => ({ item, at: random.next() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ item }) => item);

  /** The start of a job, one of two results, or a retry of one of them, with other destinations each time. */
  const arrive = (by: DatabaseLedger): Promise<Admission> => {
    const callback = callbackWith({
      job_id: `job-${below(JOBS)}`,
      status: random.next() < 0.3 ? EXECUTING : 1,
      code: 500 + below(2),
    });
    const planned: DeliveryTarget[] = shuffled(TARGETS).slice(0, 1 + below(TARGETS.length));
    return patiently(() => by.admit(arrivalOf(callback, planned)));
  };

  /** A BOT fails, or works again. */
  const result = (by: DatabaseLedger) => {
    const callback = callbackWith({
      job_id: `run-${random.int(0, 1_000_000)}`,
      bot_id: `bot-${below(3)}`,
      status: random.next() < 0.5 ? 0 : 1,
      start_time: new Date(Date.now() - below(1000)).toISOString(),
    });
    return patiently(() => by.admit(arrivalOf(callback, TARGETS.slice(0, 1))));
  };

  /** Also of what the other one has meanwhile, as when this one was taken for dead. */
  const settle = (by: DatabaseLedger, { callbackId, deliveries }: Admission) => {
    const updates = shuffled(deliveries).map((each) =>
      random.next() < 0.3 ? delivered(each) : failed(each),
    );
    const each = settlementsOf(updates, callbackId, answerOf(200, 'delivered'));
    return patiently(() => settleAll(by, each)).catch(unlessForgotten);
  };

  const claim = (by: DatabaseLedger) => patiently(() => claimFor(by));

  const settleDue = (by: DatabaseLedger, due: readonly DueDelivery[]) =>
    Promise.all(
      shuffled(due).map(({ record }) => {
        const reason = 'no longer routed';
        const update = failed(record, random.next() < 0.5 ? { state: 'held', reason } : {});
        if (update.state === 'pending')
          return patiently(() => by.settle(settlementOf(update, record.callbackId))).catch(unlessForgotten);
        const wanted = { botId: 'bot', status: undefined, planned: TARGETS, timezone: 'UTC' };
        const rerouting = { update, wanted, perhaps: [], routing: [], channels: new Map() };
        return patiently(() => by.reroute(rerouting)).catch(unlessForgotten);
      }),
    );

  const endHolds = async (by: DatabaseLedger) => {
    const { tick } = await by.claim({ tick: { timers: 8, configHash: 'a' } });
    for (const timer of tick?.timers ?? []) await by.endHolds(timer, { decide: () => 'pending', routes: [] });
  };

  /** Takes open incidents up with snoozes, gives them back, or closes them. */
  const actOnIncidents = async (by: DatabaseLedger) => {
    const ids = shuffled((await by.archive.openIncidents()).map(({ id }) => id)).slice(0, 1 + below(3));
    if (ids.length === 0) return;
    const user = `person ${below(3)}`;
    const quieting = { isAsked: true, because: '', actor: { via: 'api', user, from: '' } } as const;
    const { closeIncidents, releaseIncidents, takeUp } = by.actions;
    const act = random.next();
    await patiently<unknown>(() =>
      act < 0.5
        ? takeUp(ids, { by: user, because: '' }, [], quieting)
        : act < 0.75
          ? releaseIncidents(ids)
          : closeIncidents(ids, []),
    );
  };

  const work = async (by: DatabaseLedger) => {
    await by.upkeep.heartbeat({ hash: 'a', channels: new Map() });
    for (let round = 0; round < ROUNDS; round += 1) {
      const admissions = await Promise.all(Array.from({ length: AT_ONCE }, () => arrive(by)));
      await Promise.all([
        ...shuffled(admissions).map((admission) => settle(by, admission)),
        patiently(() => by.takeOver(shuffled(admissions.flatMap(({ deliveries }) => deliveries)))).catch(
          unlessForgotten,
        ),
        claim(by).then((due) => settleDue(by, due)),
        arrive(by),
        patiently(() => endHolds(by)),
        ...Array.from({ length: 6 }, () => actOnIncidents(by)),
        ...Array.from({ length: 4 }, () => result(by)),
        patiently(() => by.forget({ doneKeptMs: 0, nobodyKeptMs: 0, from: { done: 0, reachedNobody: 0 } })),
      ]);
    }
  };

  it(`never lock in a circle (seed ${SEED})`, async () => {
    const options = { clock: systemClock, workMs: 0, takeOverAfterMs: 0 };
    const ledgers = await Promise.all(['one', 'other'].map((owner) => store.open({ ...options, owner })));
    await Promise.all(ledgers.map(work));
    await Promise.all(ledgers.map((ledger) => ledger.close()));
    const [counted] = await store.query(
      'select pg_stat_clear_snapshot(), deadlocks from pg_stat_database where datname = current_database()',
    );
    expect(Number(counted?.['deadlocks'])).to.equal(0);
  });
});
