import { expect } from 'chai';
import { DeliveryFailure, type FailureClass, type FailureDetails } from '../../src/channels/failure.ts';
import type { AttemptResult } from '../../src/deliver/attempt.ts';
import {
  attemptRecords,
  backoffMs,
  verdictOf,
  milestoneOf,
  mustBeDurable,
  type Next,
  nextAfter,
  type PostedDelivery,
  retryInMs,
  updateAfter,
} from '../../src/deliver/outcome.ts';
import type { DeliveryRecord, DeliveryUpdate } from '../../src/ledger/ledger.ts';
import { deliveryRecord as record } from './delivery-record.ts';

const DAY_MS = 24 * 3_600_000;
const POLICY = { permanentAttempts: 2, takeOverAfterMs: 120_000, giveUpAfterMs: DAY_MS };

type Tried = readonly AttemptResult[];

const ATTEMPT = { durationMs: 5, endedAt: 12, receipt: { ts: '1' } };
const WAITED: Tried = [];
const TOLD: Tried = [ATTEMPT];
const FAILED = { class: 'transient', code: 'x', message: 'it failed' } as const;
const ASKS = { class: 'config', code: 'z', message: 'it may have arrived', mayHaveArrived: true } as const;
const PAUSED = { retryAfterMs: 60_000 };
const MENDED = { ...ASKS, mayHaveArrived: false };
const BEFORE = { class: 'transient', code: 'y', message: 'an old error' } as const;

function failing(failureClass: FailureClass, more: Partial<FailureDetails> = {}): Tried {
  const failure = new DeliveryFailure({ ...FAILED, ...more, class: failureClass });
  return [{ durationMs: 5, endedAt: 12, failure }];
}

const [TRANSIENT, LIMITED, CONFIG, PERMANENT] = (
  ['transient', 'rate_limited', 'config', 'permanent'] as const
).map((each) => failing(each)) as [Tried, Tried, Tried, Tried];

function after(sent: Tried, fields: Partial<DeliveryRecord> = {}, policy = POLICY): DeliveryUpdate {
  return updateAfter(record(fields), sent, false, { policy, random: () => 0.5 });
}

describe('a delivery after its attempts', () => {
  type Row = [what: string, sent: Tried, before: Partial<DeliveryRecord>, after: Partial<DeliveryUpdate>];
  const own = { isTakenOver: true };
  const old = { ageMs: 2 * DAY_MS };
  const late = { ...own, ageMs: DAY_MS - 500, attempts: 9 };
  const asking = (leftMs: number) => ({ ...own, lastError: ASKS, ageMs: DAY_MS - leftMs });
  const pending = { state: 'pending' } as const;
  const [receipt, before] = [{ receipt: { ts: '0' } }, { lastError: BEFORE }];
  const toService = { state: 'pending', isTakenOver: false, dueInMs: 120_000 } as const;
  const rows: Row[] = [
    ['that told somebody is delivered', TOLD, { attempts: 2 }, { state: 'delivered', attempts: 3 }],
    ['that told somebody has no error of before', TOLD, before, { lastError: undefined }],
    ['that told somebody has that receipt', TOLD, receipt, { receipt: { ts: '1' } }],
    ['that succeeds late is delivered all the same', TOLD, old, { state: 'delivered' }],
    ['that failed has its error', TRANSIENT, { attempts: 3 }, { attempts: 4, lastError: FAILED }],
    ['that failed is the service’s until take_over_after', TRANSIENT, { refusals: 9 }, toService],
    ['that failed keeps the receipt of before', TRANSIENT, receipt, receipt],
    ['stays Botbell’s own once it is', TRANSIENT, own, { ...own, dueInMs: 7500 }],
    ['is left to the service while a wrong config is worth an answer', CONFIG, { refusals: 1 }, toService],
    ['is Botbell’s own when that was worth its last', CONFIG, { refusals: 2 }, { ...pending, ...own }],
    ['is pending while a lasting failure is worth an answer', PERMANENT, { refusals: 1 }, pending],
    ['is dead when that was worth its last answer', PERMANENT, { refusals: 2 }, { state: 'dead' }],
    ['is dead when nobody waits for an answer', PERMANENT, own, { state: 'dead' }],
    ['is attempted once more when it is given up, its attempts counted', TRANSIENT, late, { dueInMs: 495 }],
    ['that is Botbell’s own keeps its time without a turn', WAITED, own, { dueInMs: undefined }],
    ['that waits for somebody is looked at each 15 minutes', WAITED, asking(DAY_MS), { dueInMs: 900_000 }],
    ['that waits for somebody is looked at when it is given up', WAITED, asking(1), { dueInMs: 1 }],
    ['that waits for somebody is given up', WAITED, asking(0), { state: 'dead' }],
    ['that the service asked for waits for nobody yet', WAITED, { lastError: ASKS }, { ...own, dueInMs: 0 }],
    ['that could not arrive waits for nobody', WAITED, { ...own, lastError: MENDED }, { dueInMs: undefined }],
    ['attempted since somebody asked has its turn', failing('config', ASKS), own, { dueInMs: 7500 }],
    ['is Botbell’s own where the remote pauses', failing('transient', PAUSED), {}, own],
    ['is Botbell’s own where a refused login pauses', failing('config', PAUSED), {}, own],
    ['is the service’s where a rate limit pauses', failing('rate_limited', PAUSED), {}, toService],
    ['is never given up without a turn', WAITED, { ...old, ...before }, { ...pending, ...before }],
  ];
  for (const [name, sent, was, expected] of rows)
    it(name, () => expect(after(sent, was)).to.deep.include(expected));

  it('is dead, whatever failed and whose ever it is, when give_up_after has passed since the first time', () => {
    for (const sent of [TRANSIENT, LIMITED, CONFIG, PERMANENT])
      for (const isTakenOver of [true, false]) {
        const stateAt = (ageMs: number) => after(sent, { isTakenOver, ageMs }).state;
        expect(stateAt(DAY_MS - 5)).to.equal('dead');
        if (sent !== PERMANENT) expect(stateAt(DAY_MS - 6)).to.equal('pending');
      }
  });

  it('whose turn did not come is Botbell’s own from now on, and due at once', () => {
    for (const isTakenOver of [true, false]) {
      const before = record({ attempts: 1, isTakenOver });
      const update = updateAfter(before, LIMITED, true, { policy: POLICY, random: () => 0.5 });
      expect(update).to.include({ state: 'pending', isTakenOver: true, dueInMs: 0, attempts: 2 });
    }
  });

  it('is Botbell’s own where the destination is down, unless its failure is a lasting one', () => {
    const isOwn = [TRANSIENT, LIMITED, CONFIG, PERMANENT].map(
      (sent) =>
        updateAfter(record(), sent, false, { policy: POLICY, random: () => 0.5, isDown: true }).isTakenOver,
    );
    expect(isOwn).to.deep.equal([true, false, false, false]);
  });

  it('is retried within the POST after a wait that doubles, as often as attempts_per_request says', () => {
    const wait = (...made: Tried[]) => retryInMs(made.flat(), { attemptsPerRequest: 3 }, 0.5);
    expect([TRANSIENT, [...TRANSIENT, ...TRANSIENT]].map((made) => wait(made))).to.deep.equal([200, 400]);
    expect(wait(LIMITED, TRANSIENT), 'a rate limit does not count').to.equal(200);
    for (const made of [[], TOLD, LIMITED, CONFIG, [...TRANSIENT, ...TRANSIENT, ...TRANSIENT]])
      expect(wait(made)).to.equal(undefined);
  });

  it('is told of where it ends late, is taken over, given up, or held', () => {
    const milestone = (update: Partial<DeliveryUpdate>, isLate = false, isTakenOver = false) =>
      milestoneOf({ ...after(WAITED), isTakenOver: false, ...update }, { isTakenOver }, isLate);
    expect(milestone({ state: 'delivered' }, true)).to.equal('delivered_late');
    expect(milestone({ state: 'delivered' })).to.equal(undefined);
    expect(milestone({ state: 'dead', isTakenOver: true })).to.equal('given_up');
    expect(milestone({ state: 'held', isTakenOver: true })).to.equal('held');
    expect(milestone(own)).to.equal('taken_over');
    for (const none of [milestone(own, true, true), milestone({})]) expect(none).to.equal(undefined);
  });

  it('has each attempt on record with when, how long, and what came of it', () => {
    const both = { durationMs: 5, endedAt: 12 };
    const more = { japanese: '失敗しました', concerns: 'address', mayHaveArrived: true } as const;
    expect(attemptRecords([...CONFIG, ...failing('permanent', more), ATTEMPT])).to.deep.equal([
      { ...both, outcome: 'config', error: { ...FAILED, class: 'config' } },
      { ...both, outcome: 'permanent', error: { ...FAILED, ...more, class: 'permanent' } },
      { ...both, outcome: 'delivered', error: undefined },
    ]);
  });
});

describe('the wait before Botbell retries by itself', () => {
  it('is anything from a second up to a time that doubles with each attempt, up to a quarter of an hour', () => {
    const longest = [1, 2, 3, 4, 5, 6, 7, 8, 1000].map((attempts) => backoffMs(attempts, 1) / 1000);
    expect(longest).to.deep.equal([15, 30, 60, 120, 240, 480, 900, 900, 900]);
    const first = [0, 0.25, 0.5, 0.75].map((random) => backoffMs(1, random));
    expect(first).to.deep.equal([1000, 3750, 7500, 11_250]);
  });
});

/** Attempted for this POST, and through. */
function tried(what: Tried, fields: Partial<DeliveryRecord> = {}, policy = POLICY): PostedDelivery {
  return { ...record(fields), ...after(what, fields, policy), hasEnded: true };
}

/** Not attempted for this POST, or still being attempted. */
function standing(fields: Partial<DeliveryRecord> = {}): PostedDelivery {
  return record(fields);
}

const POSTED = { isSuperseded: false, isAccepted: false };

describe('the answer', () => {
  const told = standing({ state: 'delivered' });
  const held = standing({ state: 'held' });
  const dead = standing({ state: 'dead' });
  const own = standing({ isTakenOver: true });
  const failed = tried(TRANSIENT, { id: 2 });

  type Row = [string, string, readonly PostedDelivery[], Partial<typeof POSTED>?];
  const answers: Row[] = [
    ['200 delivered', 'everybody is told now', [tried(TOLD), tried(TOLD, { id: 2 })]],
    ['200 delivered', 'a retry completes what an earlier one began', [told, tried(TOLD, { id: 2 })]],
    ['200 duplicate', 'all were told before', [told, told]],
    ['200 no_route', 'there is nobody to tell', []],
    ['200 superseded', 'the result came before', [], { isSuperseded: true }],
    ['200 superseded', 'the result came before what is held', [held], { isSuperseded: true }],
    ['200 held', 'all of it is held back', [held]],
    ['200 duplicate', 'some are held back and the others were told before', [held, told]],
    ['200 gave_up', 'something of it is a dead letter', [dead, tried(TOLD)]],
    ['200 gave_up', 'something of it becomes a dead letter', [tried(PERMANENT, { refusals: 2 })]],
    ['200 gave_up', 'the rest of it is held back', [dead, held]],
    ['502 failed', 'a delivery failed', [tried(TOLD), failed]],
    ['502 failed', 'one is a dead letter and another still fails', [dead, failed]],
    ['504 timed_out', 'something is unfinished, whatever else failed', [standing(), failed]],
    ['200 taken_over', 'what is Botbell’s own still fails', [tried(CONFIG, { isTakenOver: true })]],
    ['200 taken_over', 'what is Botbell’s own is being attempted', [own]],
    ['200 delivered', 'what is Botbell’s own passes', [tried(TOLD, { isTakenOver: true })]],
    ['502 failed', 'another delivery is the service’s to retry', [own, failed]],
    ['200 accepted', 'what is accepted for later is pending', [own, told], { isAccepted: true }],
    ['200 accepted', 'what is accepted has not been taken over', [standing()], { isAccepted: true }],
    ['200 duplicate', 'nothing of what was accepted is pending', [told], { isAccepted: true }],
    ['200 gave_up', 'what was accepted is a dead letter', [dead], { isAccepted: true }],
    ['200 held', 'what was accepted is held', [held], { isAccepted: true }],
    ['200 no_route', 'what was accepted has nobody to tell', [], { isAccepted: true }],
    ['200 superseded', 'its result came before', [], { isAccepted: true, isSuperseded: true }],
  ];
  for (const [answer, when, standings, asked] of answers)
    it(`is ${answer} where ${when}`, () => {
      const { status, result } = verdictOf(standings, { ...POSTED, ...asked });
      expect(`${status} ${result}`).to.equal(answer);
    });

  it('says of each delivery how it stands, and what of it failed', () => {
    const lastError = { class: 'permanent', code: 'x', message: 'no such user' } as const;
    const all = [
      tried(TOLD, { destination: 'a:1' }),
      tried(TRANSIENT, { destination: 'a:2' }),
      standing({ destination: 'a:3', state: 'dead', lastError }),
      standing({ destination: 'a:4', state: 'held' }),
      tried(CONFIG, { destination: 'a:5', isTakenOver: true }),
      standing({ destination: 'a:6', lastError: BEFORE }),
      standing({ destination: 'a:7', isTakenOver: true }),
    ];
    expect(verdictOf(all, POSTED).deliveries).to.deep.equal([
      { destination: 'a:1', state: 'delivered' },
      { destination: 'a:2', state: 'pending', error: 'it failed' },
      { destination: 'a:3', state: 'dead', error: 'no such user' },
      { destination: 'a:4', state: 'held' },
      { destination: 'a:5', state: 'pending', error: 'it failed' },
      { destination: 'a:6', state: 'pending', error: 'not finished in time' },
      { destination: 'a:7', state: 'pending' },
    ]);
    const [taken] = verdictOf([tried(CONFIG, { isTakenOver: true })], POSTED).deliveries;
    expect(taken, 'nothing that the service need know').to.not.have.property('error');
  });

  const answerTo = (...standings: PostedDelivery[]) => verdictOf(standings, POSTED);

  for (const [sent, end] of [
    [PERMANENT, 'gave_up'],
    [CONFIG, 'taken_over'],
  ] as const)
    it(`is non-2xx for a lasting failure as often as permanent_attempts says, then 200 ${end}`, () => {
      const results = [0, 1, 2].map((refusals) => answerTo(tried(sent, { refusals })).result);
      expect(results).to.deep.equal(['failed', 'failed', end]);
      expect(answerTo(tried(sent, {}, { ...POLICY, permanentAttempts: 0 })).result).to.equal(end);
    });

  it('outlasts a power cut where something is left to be done, or never will be', () => {
    const survives = (...standings: PostedDelivery[]) => mustBeDurable(answerTo(...standings));
    expect(survives(tried(TOLD))).to.equal(false);
    expect(survives(standing({ state: 'held', reason: 'repeat' }))).to.equal(false);
    for (const left of [own, dead, standing({ state: 'held', reason: 'mute', heldUntil: 1 }), failed])
      expect(survives(tried(TOLD), left)).to.equal(true);
  });
});

const MAYBE = { mayHaveArrived: true };
/** What happens next is decided in one place, from class and arrival: each row of that table. */
const NEXT: readonly (readonly [Pick<FailureDetails, 'class'> & Partial<FailureDetails>, Next])[] = [
  [{ class: 'transient' }, 'again'],
  [{ class: 'transient', ...PAUSED }, 'again'],
  [{ class: 'transient', ...MAYBE }, 'retry'],
  [{ class: 'transient', ...MAYBE, ...PAUSED }, 'botbell'],
  [{ class: 'transient', isForLater: true }, 'botbell'],
  [{ class: 'rate_limited' }, 'pause'],
  [{ class: 'rate_limited', ...PAUSED }, 'pause'],
  [{ class: 'config' }, 'mend'],
  [{ class: 'config', ...PAUSED }, 'botbell'],
  [{ class: 'config', ...MAYBE }, 'ask'],
  [{ class: 'config', ...MAYBE, ...PAUSED }, 'ask'],
  [{ class: 'permanent' }, 'never'],
  [{ class: 'permanent', ...MAYBE }, 'never'],
];

describe('what happens after a failure', () => {
  for (const [details, next] of NEXT)
    it(`is ${next} after ${JSON.stringify(details)}`, () => {
      expect(nextAfter(new DeliveryFailure({ code: 'x', message: 'x', ...details }))).to.equal(next);
    });
});
