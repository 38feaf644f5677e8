/** How a delivery stands after its attempts, and when it is tried again. */
import { expect } from 'chai';
import { DeliveryFailure, type FailureClass } from '../../src/channels/failure.ts';
import {
  attemptRecords,
  isRefusedLastingly,
  type OutcomeContext,
  updateAfter,
} from '../../src/deliver/outcome.ts';
import type { AttemptResult } from '../../src/deliver/attempt.ts';
import type { DeliveryRecord } from '../../src/ledger/ledger.ts';
import { deliveryRecord as record } from '../support/delivery-record.ts';

const HOUR_MS = 3_600_000;
const TAKE_OVER_AFTER_MS = 120_000;
const LASTING: readonly FailureClass[] = ['permanent', 'config'];
const PASSING: readonly FailureClass[] = ['transient', 'rate_limited'];

const CONTEXT: OutcomeContext = {
  policy: { permanentAttempts: 2, takeOverAfterMs: TAKE_OVER_AFTER_MS, giveUpAfterMs: 24 * HOUR_MS },
  random: 0.5,
};

type Tried = readonly AttemptResult[];

const ATTEMPT = { startedAt: 7, durationMs: 5, receipt: { ts: '1' } };
const WAITED: Tried = [];
const TOLD: Tried = [ATTEMPT];

function failing(failureClass: FailureClass): Tried {
  const failure = new DeliveryFailure({ class: failureClass, code: 'x', message: 'it failed' });
  return [{ startedAt: 7, durationMs: 5, failure }];
}

function after(sent: Tried, fields: Partial<DeliveryRecord> = {}, context: Partial<OutcomeContext> = {}) {
  return updateAfter(record(fields), sent, false, { ...CONTEXT, ...context });
}

describe('a delivery after its attempts', () => {
  it('that told somebody is delivered, with the receipt and without the error of before', () => {
    const lastError = { class: 'transient', code: 'y', message: 'before' } as const;
    expect(after(TOLD, { attempts: 2, lastError })).to.deep.include({
      state: 'delivered',
      attempts: 3,
      lastError: undefined,
      receipt: { ts: '1' },
    });
  });

  it('that failed keeps the error, and adds its attempts to those before', () => {
    expect(after(failing('transient'), { attempts: 3 })).to.deep.equal({
      id: 1,
      state: 'pending',
      attempts: 4,
      lastError: { class: 'transient', code: 'x', message: 'it failed' },
      receipt: undefined,
      isTakenOver: false,
      dueInMs: TAKE_OVER_AFTER_MS,
    });
  });

  it('keeps the receipt of before, where it was told and is to be told again, until there is another', () => {
    const before = { receipt: { ts: '0' } };
    expect(after(failing('transient'), before)).to.deep.include(before);
    expect(after(TOLD, before)).to.deep.include({ receipt: { ts: '1' } });
  });

  it('is left to the service until take_over_after', () => {
    expect(after(failing('transient')).dueInMs).to.equal(TAKE_OVER_AFTER_MS);
  });

  it('that is Botbell’s own waits longer with each attempt, with jitter', () => {
    const waits = [0, 1, 2].map(
      (attempts) => after(failing('transient'), { attempts, isTakenOver: true }).dueInMs,
    );
    expect(waits).to.deep.equal([7500, 15_000, 30_000]);
    expect(after(failing('transient'), { isTakenOver: true }, { random: 0.1 }).dueInMs).to.equal(1500);
  });

  it('stays Botbell’s own once it is', () => {
    expect(after(failing('transient'), { isTakenOver: true }).isTakenOver).to.equal(true);
    expect(
      after(failing('transient'), { refusals: 9 }).isTakenOver,
      'the service retries what may pass',
    ).to.equal(false);
  });

  it('becomes Botbell’s own when a wrong config was worth its last answer', () => {
    expect(after(failing('config'), { refusals: 1 })).to.include({
      state: 'pending',
      isTakenOver: false,
    });
    expect(after(failing('config'), { refusals: 2 })).to.include({
      state: 'pending',
      isTakenOver: true,
    });
  });

  it('is dead when it can never pass and was worth its last answer, or nobody waits for one', () => {
    expect(after(failing('permanent'), { refusals: 1 }).state).to.equal('pending');
    expect(after(failing('permanent'), { refusals: 2 }).state).to.equal('dead');
    expect(after(failing('permanent'), { isTakenOver: true }).state).to.equal('dead');
  });

  it('is dead, whatever failed and whose ever it is, when give_up_after has passed since the first time', () => {
    for (const failureClass of [...LASTING, ...PASSING]) {
      for (const isTakenOver of [true, false]) {
        const stateAt = (ageMs: number) => after(failing(failureClass), { isTakenOver, ageMs }).state;
        expect(stateAt(24 * HOUR_MS), failureClass).to.equal('dead');
        if (failureClass !== 'permanent') expect(stateAt(24 * HOUR_MS - 1), failureClass).to.equal('pending');
      }
    }
  });

  it('that succeeds late is delivered all the same', () => {
    expect(after(TOLD, { ageMs: 48 * HOUR_MS }).state).to.equal('delivered');
  });
});

describe('a delivery whose turn did not come', () => {
  it('is Botbell’s own from now on, and due at once', () => {
    const update = updateAfter(record({ attempts: 1 }), failing('rate_limited'), true, CONTEXT);
    expect(update).to.include({ state: 'pending', isTakenOver: true, dueInMs: 0, attempts: 2 });
    expect(update.lastError?.class).to.equal('rate_limited');
  });

  it('keeps its time where it was Botbell’s own already', () => {
    expect(after(WAITED, { isTakenOver: true }).dueInMs).to.equal(undefined);
  });

  it('is never given up for that, and keeps what failed before', () => {
    const lastError = { class: 'transient', code: 'x', message: 'it failed' } as const;
    expect(after(WAITED, { ageMs: 48 * HOUR_MS, lastError })).to.include({ state: 'pending', lastError });
  });
});

describe('the last attempt', () => {
  it('is made when a delivery is to be given up, not later', () => {
    const update = after(failing('transient'), { isTakenOver: true, ageMs: 24 * HOUR_MS - 500, attempts: 9 });
    expect(update).to.include({ state: 'pending', dueInMs: 500 });
  });
});

describe('a non-2xx answer', () => {
  it('is one of the few that a lasting failure is worth', () => {
    for (const failureClass of LASTING)
      expect(isRefusedLastingly(after(failing(failureClass), { refusals: 1 })), failureClass).to.equal(true);
  });

  it('counts nothing where the failure may pass, somebody was told, it is a dead letter or Botbell’s own', () => {
    for (const failureClass of PASSING)
      expect(isRefusedLastingly(after(failing(failureClass))), failureClass).to.equal(false);
    for (const update of [
      after(TOLD),
      after(failing('permanent'), { refusals: 2 }),
      after(failing('config'), { refusals: 2 }),
    ])
      expect(isRefusedLastingly(update)).to.equal(false);
  });
});

describe('the record of attempts', () => {
  it('has each attempt with when, how long, and what came of it', () => {
    expect(attemptRecords(9, [...failing('config'), ATTEMPT])).to.deep.equal([
      {
        deliveryId: 9,
        startedAt: 7,
        durationMs: 5,
        outcome: 'config',
        error: { class: 'config', code: 'x', message: 'it failed' },
      },
      { deliveryId: 9, startedAt: 7, durationMs: 5, outcome: 'delivered', error: undefined },
    ]);
  });
});
