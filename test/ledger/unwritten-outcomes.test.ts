/** That somebody was told is not forgotten while the store is away. */
import { expect } from 'chai';
import { OperationFailed } from '../../src/ledger/failures.ts';
import type { AttemptRecord, Settlement } from '../../src/ledger/ledger.ts';
import { UnwrittenOutcomes } from '../../src/ledger/shared/upkeep.ts';
import { answerOf, settlementOf } from '../contract/settlements.ts';
import { delivered, failed, named } from '../contract/updates.ts';

const AT = { durationMs: 1, endedAt: 2 };
const ATTEMPT: AttemptRecord = { ...AT, outcome: 'delivered', error: undefined };

describe('unwritten outcomes', () => {
  let written: Settlement[];
  let failure: (settlement: Settlement) => Error | undefined;
  let outcomes: UnwrittenOutcomes;

  const idsWritten = () => written.map(({ update }) => update?.id);

  beforeEach(() => {
    written = [];
    failure = () => undefined;
    outcomes = new UnwrittenOutcomes((settlement) => {
      const error = failure(settlement);
      if (error !== undefined) return Promise.reject(error);
      written.push(settlement);
      return Promise.resolve();
    });
  });

  it('are who was told, with their attempts; no failures, and no answers that nobody may have got', async () => {
    const told = { ...settlementOf(delivered(named(1))), attempts: [ATTEMPT] };
    outcomes.keep({ ...told, answer: answerOf(200, 'delivered') });
    outcomes.keep({ ...settlementOf(failed(named(2))), answer: answerOf(502, 'failed') });
    expect([outcomes.has(named(1)), outcomes.has(named(2))]).to.deep.equal([true, false]);
    await outcomes.write();
    expect(written).to.deep.equal([told]);
    expect(outcomes.has(named(1))).to.equal(false);
  });

  it('are written in order, and once for all who ask at the same moment, and stay while the store is away', async () => {
    for (const id of [1, 2]) outcomes.keep(settlementOf(delivered(named(id))));
    await Promise.all([outcomes.write(), outcomes.write()]);
    outcomes.keep(settlementOf(delivered(named(3))));
    failure = () => new Error('away');
    await outcomes.write();
    failure = () => undefined;
    await outcomes.write();
    expect(idsWritten()).to.deep.equal([1, 2, 3]);
  });

  it('are tried again behind the others, so that one that stays locked holds up none of them, and dropped when a store that works refuses them', async () => {
    for (const id of [1, 2, 3]) outcomes.keep(settlementOf(delivered(named(id))));
    failure = ({ update }) => (update?.id === 1 ? new Error('locked') : undefined);
    await outcomes.write();
    await outcomes.write();
    expect(idsWritten()).to.deep.equal([2, 3]);
    outcomes.keep(settlementOf(delivered(named(4))));
    failure = ({ update }) => (update?.id === 1 ? new OperationFailed('never') : undefined);
    await outcomes.write();
    expect(idsWritten()).to.deep.equal([2, 3, 4]);
    expect(outcomes.has(named(1))).to.equal(false);
  });
});
