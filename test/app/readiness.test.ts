import { expect } from 'chai';
import { readinessOf } from '../../src/app/app.ts';
import { ManualClock } from '../support/manual-clock.ts';

describe('A process', () => {
  const at = (ms: number, writtenAt: number | undefined, isDraining = false) => {
    const parts = { clock: new ManualClock(ms), ledger: { writtenAt }, loads: { isDraining } };
    return readinessOf(parts as unknown as Parameters<typeof readinessOf>[0]);
  };

  it('is ready while its store was written within the last fifteen seconds, until it drains', () => {
    expect(at(20_000, 5000)).to.deep.equal({ store: true, config: true, accepting: true });
    expect(at(20_001, 5000).store).to.equal(false);
    expect(at(20_000, undefined).store).to.equal(false);
    expect(at(20_000, 20_000, true)).to.deep.equal({ store: true, config: true, accepting: false });
  });
});
