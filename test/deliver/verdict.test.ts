/** Every row of what the service is answered, from how the deliveries stand. */
import { expect } from 'chai';
import { DeliveryFailure, type FailureClass } from '../../src/channels/failure.ts';
import {
  judge,
  mustSurvive,
  refusedIn,
  type PostedDelivery,
  updateAfter,
  type Verdict,
} from '../../src/deliver/outcome.ts';
import type { AttemptResult } from '../../src/deliver/attempt.ts';
import type { DeliveryRecord } from '../../src/ledger/ledger.ts';
import { deliveryRecord as record } from '../support/delivery-record.ts';

const HOUR_MS = 3_600_000;
const POLICY = { permanentAttempts: 2, takeOverAfterMs: 120_000, giveUpAfterMs: 24 * HOUR_MS };

type Tried = readonly AttemptResult[];

const ATTEMPT = { startedAt: 0, durationMs: 5, receipt: { ts: '1' } };
const TOLD: Tried = [ATTEMPT];

function failing(failureClass: FailureClass): Tried {
  const failure = new DeliveryFailure({ class: failureClass, code: 'x', message: 'it failed' });
  return [{ startedAt: 7, durationMs: 5, failure }];
}

/** Attempted for this POST, and through. */
function tried(what: Tried, fields: Partial<DeliveryRecord> = {}, policy = POLICY): PostedDelivery {
  const before = record(fields);
  const update = updateAfter(before, what, false, { policy, random: 0.5 });
  return { ...before, ...update, hasEnded: true };
}

/** Not attempted for this POST, or still being attempted. */
function standing(fields: Partial<DeliveryRecord> = {}): PostedDelivery {
  return record(fields);
}

function verdictOn(standings: readonly PostedDelivery[], isSuperseded = false): Verdict {
  return judge(standings, { isSuperseded, isAccepted: false });
}

function answerTo(standings: readonly PostedDelivery[], isSuperseded = false): [number, string] {
  const { status, result } = verdictOn(standings, isSuperseded);
  return [status, result];
}

function refusedOf(standings: readonly PostedDelivery[]): readonly number[] {
  return refusedIn(standings, verdictOn(standings));
}

describe('the verdict', () => {
  describe('is 200', () => {
    it('delivered when everybody is told now', () => {
      expect(
        verdictOn([tried(TOLD), tried(TOLD, { id: 2, destination: 'email:a@example.com' })]),
      ).to.deep.equal({
        status: 200,
        result: 'delivered',
        deliveries: [
          { destination: 'slack:#ops', state: 'delivered' },
          { destination: 'email:a@example.com', state: 'delivered' },
        ],
      });
    });

    it('delivered when a retry completes what an earlier one began', () => {
      expect(answerTo([standing({ state: 'delivered' }), tried(TOLD, { id: 2 })])).to.deep.equal([
        200,
        'delivered',
      ]);
    });

    it('duplicate when all were told before', () => {
      expect(answerTo([standing({ state: 'delivered' }), standing({ state: 'delivered' })])).to.deep.equal([
        200,
        'duplicate',
      ]);
    });

    it('no_route when there is nobody to tell', () => {
      expect(answerTo([])).to.deep.equal([200, 'no_route']);
    });

    it('superseded when the result came before', () => {
      expect(answerTo([], true)).to.deep.equal([200, 'superseded']);
      expect(answerTo([standing({ state: 'held' })], true)).to.deep.equal([200, 'superseded']);
    });

    it('held when all of it is held back', () => {
      const verdict = verdictOn([standing({ state: 'held' })]);
      expect([verdict.status, verdict.result]).to.deep.equal([200, 'held']);
      expect(verdict.deliveries).to.deep.equal([{ destination: 'slack:#ops', state: 'held' }]);
    });

    it('duplicate when some are held back and the others were told before', () => {
      expect(answerTo([standing({ state: 'held' }), standing({ state: 'delivered' })])).to.deep.equal([
        200,
        'duplicate',
      ]);
    });

    it('gave_up when something of it is a dead letter, new or old', () => {
      expect(answerTo([standing({ state: 'dead' }), tried(TOLD)])).to.deep.equal([200, 'gave_up']);
      expect(answerTo([tried(failing('permanent'), { refusals: 2 })])).to.deep.equal([200, 'gave_up']);
      expect(answerTo([standing({ state: 'dead' }), standing({ state: 'held' })])).to.deep.equal([
        200,
        'gave_up',
      ]);
    });
  });

  describe('is 502', () => {
    it('when a delivery failed, with the reason beside it', () => {
      const verdict = verdictOn([
        tried(TOLD),
        tried(failing('transient'), { id: 2, destination: 'slack:#log' }),
      ]);
      expect([verdict.status, verdict.result]).to.deep.equal([502, 'failed']);
      expect(verdict.deliveries).to.deep.equal([
        { destination: 'slack:#ops', state: 'delivered' },
        { destination: 'slack:#log', state: 'pending', error: 'it failed' },
      ]);
    });

    it('when one is a dead letter and another still fails, with the reason of both', () => {
      const lastError = { class: 'permanent', code: 'x', message: 'no such user' } as const;
      const verdict = verdictOn([
        standing({ state: 'dead', lastError }),
        tried(failing('transient'), { id: 2 }),
      ]);
      expect(verdict.status).to.equal(502);
      expect(verdict.deliveries.map((each) => [each.state, each.error])).to.deep.equal([
        ['dead', 'no such user'],
        ['pending', 'it failed'],
      ]);
    });
  });

  describe('is 504', () => {
    it('when something is unfinished, whatever else failed', () => {
      const verdict = verdictOn([standing(), tried(failing('transient'), { id: 2 })]);
      expect([verdict.status, verdict.result]).to.deep.equal([504, 'timed_out']);
      expect(verdict.deliveries.map((each) => each.error)).to.deep.equal([
        'not finished in time',
        'it failed',
      ]);
    });

    it('and says so of a delivery that had failed in an earlier request', () => {
      const lastError = { class: 'transient', code: 'x', message: 'an old error' } as const;
      expect(verdictOn([standing({ lastError })]).deliveries[0]?.error).to.equal('not finished in time');
    });
  });

  for (const [failureClass, end] of [
    ['permanent', 'gave_up'],
    ['config', 'taken_over'],
  ] as const) {
    describe(`on a ${failureClass} failure`, () => {
      it(`is non-2xx as often as permanent_attempts says, then 200 ${end}`, () => {
        const answers = [0, 1, 2].map((refusals) => answerTo([tried(failing(failureClass), { refusals })]));
        expect(answers).to.deep.equal([
          [502, 'failed'],
          [502, 'failed'],
          [200, end],
        ]);
        expect(refusedOf([tried(failing(failureClass), { refusals: 1 })])).to.deep.equal([1]);
      });

      it('is 200 at once where it is worth no retry', () => {
        const policy = { ...POLICY, permanentAttempts: 0 };
        expect(answerTo([tried(failing(failureClass), {}, policy)])).to.deep.equal([200, end]);
      });

      it('counts a non-2xx answer that others caused, too', () => {
        expect(refusedOf([tried(failing(failureClass)), standing({ id: 2 })])).to.deep.equal([1]);
      });

      it('is given up when give_up_after has passed', () => {
        const standings = [tried(failing(failureClass), { ageMs: 24 * HOUR_MS })];
        expect(answerTo(standings)).to.deep.equal([200, 'gave_up']);
      });
    });
  }

  describe('on a failure that may pass', () => {
    for (const failureClass of ['transient', 'rate_limited'] as const) {
      it(`(${failureClass}) is 502 until give_up_after has passed since the first time, then gave_up`, () => {
        const at = (ageMs: number) => answerTo([tried(failing(failureClass), { refusals: 7, ageMs })]);
        expect(at(24 * HOUR_MS - 1)).to.deep.equal([502, 'failed']);
        expect(at(24 * HOUR_MS)).to.deep.equal([200, 'gave_up']);
      });
    }

    it('is no refusal', () => {
      expect(refusedOf([tried(failing('transient'))])).to.deep.equal([]);
    });
  });

  describe('on what Botbell retries by itself', () => {
    it('is 200 taken_over while it still fails, and nothing of it counts as refused', () => {
      const standings = [tried(failing('config'), { isTakenOver: true, refusals: 2 })];
      const verdict = verdictOn(standings);
      expect([verdict.status, verdict.result]).to.deep.equal([200, 'taken_over']);
      expect(verdict.deliveries).to.deep.equal([{ destination: 'slack:#ops', state: 'pending' }]);
      expect(refusedOf(standings)).to.deep.equal([]);
    });

    it('is 200 taken_over while it is being made', () => {
      expect(answerTo([standing({ isTakenOver: true })])).to.deep.equal([200, 'taken_over']);
    });

    it('is 200 delivered when it passes', () => {
      expect(answerTo([tried(TOLD, { isTakenOver: true })])).to.deep.equal([200, 'delivered']);
    });

    it('is 502 as long as another delivery is the service’s to retry', () => {
      const standings = [standing({ isTakenOver: true }), tried(failing('transient'), { id: 2 })];
      expect(answerTo(standings)).to.deep.equal([502, 'failed']);
    });
  });

  describe('on what is accepted for later', () => {
    const accepted = (...fields: Partial<DeliveryRecord>[]) => {
      const { status, result, deliveries } = judge(fields.map(standing), {
        isSuperseded: false,
        isAccepted: true,
      });
      return [status, result, ...deliveries.map((each) => each.state)];
    };

    it('is 200 accepted while anything is pending', () => {
      expect(accepted({ isTakenOver: true }, { id: 2, state: 'delivered' })).to.deep.equal([
        200,
        'accepted',
        'pending',
        'delivered',
      ]);
    });

    it('is 200 with what came of it once nothing is pending', () => {
      expect(accepted({ state: 'delivered' })).to.deep.equal([200, 'duplicate', 'delivered']);
      expect(accepted({ state: 'dead' })).to.deep.equal([200, 'gave_up', 'dead']);
      expect(accepted({ state: 'held' })).to.deep.equal([200, 'held', 'held']);
      expect(accepted()).to.deep.equal([200, 'no_route']);
    });

    it('is 200 superseded when the result came before', () => {
      expect(judge([], { isSuperseded: true, isAccepted: true })).to.include({
        status: 200,
        result: 'superseded',
      });
    });
  });

  it('outlasts a power cut where something is left to be done, or never will be', () => {
    const survives = (...standings: PostedDelivery[]) => mustSurvive(verdictOn(standings));
    expect(survives(tried(TOLD))).to.equal(false);
    expect(survives(standing({ state: 'held', reason: 'repeat' }))).to.equal(false);
    for (const left of [
      standing({ isTakenOver: true }),
      standing({ state: 'dead' }),
      standing({ state: 'held', reason: 'mute', heldUntil: 1 }),
      tried(failing('transient')),
    ])
      expect(survives(tried(TOLD), left)).to.equal(true);
  });
});
