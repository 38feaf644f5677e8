/** That somebody was told is not forgotten while the store is away. */
import { expect } from 'chai';
import type { AttemptRecord, Settlement } from '../../src/ledger/ledger.ts';
import { UnwrittenOutcomes } from '../../src/ledger/settle/settlements.ts';
import { delivered, failed, settlementOf } from '../contract/ledger-contract.ts';
import { rejectionOf } from '../support/rejection-of.ts';

const ANSWER = { receivedAt: 1, answeredAt: 2, status: 200, result: 'delivered' } as const;

function historyOf(...attempts: AttemptRecord[]) {
  return { callbackId: 7, attempts, answer: ANSWER };
}

function attempt(deliveryId: number) {
  return { deliveryId, startedAt: 1, durationMs: 1, outcome: 'delivered', error: undefined } as const;
}

describe('unwritten outcomes', () => {
  let written: Settlement[];
  let isRefused: (settlement: Settlement) => boolean;
  let outcomes: UnwrittenOutcomes;
  let isAway: boolean;

  const isRefusal = () => !isAway;

  const idsWritten = () => written.map(({ deliveries }) => deliveries.map(({ id }) => id));

  beforeEach(() => {
    written = [];
    isAway = false;
    isRefused = () => false;
    outcomes = new UnwrittenOutcomes((settlement) => {
      if (isRefused(settlement)) return Promise.reject(new Error('gone'));
      written.push(settlement);
      return Promise.resolve();
    }, isRefusal);
  });

  it('are written in order and once, with the attempts that belong to them', async () => {
    outcomes.keep({ ...settlementOf([delivered(1), failed(2)]), history: historyOf(attempt(1), attempt(2)) });
    outcomes.keep(settlementOf([delivered(3)]));
    await outcomes.flush();
    await outcomes.flush();
    expect(idsWritten()).to.deep.equal([[1], [3]]);
    expect(written[0]?.history).to.deep.include({ callbackId: 7, attempts: [attempt(1)] });
  });

  it('are no failures, and no answers that nobody may have got', async () => {
    outcomes.keep({ ...settlementOf([failed(1)]), history: historyOf() });
    outcomes.keep({ ...settlementOf([delivered(2)]), history: historyOf() });
    await outcomes.flush();
    expect(idsWritten()).to.deep.equal([[2]]);
    expect(written[0]?.history?.answer).to.equal(undefined);
  });

  it('stay while the store is away', async () => {
    outcomes.keep(settlementOf([delivered(1)]));
    isRefused = () => true;
    expect((await rejectionOf(outcomes.flush())).message).to.equal('gone');
    isRefused = () => false;
    await outcomes.flush();
    expect(idsWritten()).to.deep.equal([[1]]);
  });

  it('are written once for all who ask at the same moment', async () => {
    outcomes.keep(settlementOf([delivered(1)]));
    await Promise.all([outcomes.flush(), outcomes.flush(), outcomes.flush()]);
    expect(idsWritten()).to.deep.equal([[1]]);
  });

  it('are tried once, not again without their history, while the store is away', async () => {
    outcomes.keep({ ...settlementOf([delivered(1)]), history: historyOf(attempt(1)) });
    const tries: Settlement[] = [];
    isAway = true;
    isRefused = (settlement) => tries.push(settlement) > 0;
    await rejectionOf(outcomes.flush());
    expect(tries).to.have.length(1);
  });

  it('are forgotten when the store has written them after all', async () => {
    const [late, other] = [settlementOf([delivered(1)]), settlementOf([delivered(2)])];
    outcomes.keep(late);
    outcomes.keep(other);
    outcomes.drop(late);
    await outcomes.flush();
    expect(idsWritten()).to.deep.equal([[2]]);
  });

  it('hold nothing up when the store refuses their history', async () => {
    outcomes.keep({ ...settlementOf([delivered(1)]), history: historyOf(attempt(1)) });
    outcomes.keep(settlementOf([delivered(2)]));
    isRefused = ({ history }) => history !== undefined;
    await outcomes.flush();
    expect(idsWritten()).to.deep.equal([[1], [2]]);
  });
});
