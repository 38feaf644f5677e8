/** A claim is lengthened whatever the store does meanwhile. */
import { expect } from 'chai';
import { lengthen } from '../../src/deliver/lengthened.ts';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { ManualClock } from '../support/manual-clock.ts';

describe('The claim of an attempt that goes on', () => {
  const clock = new ManualClock();
  let held: number[];
  let unforeseen: unknown[];
  let isUnderWay: boolean;

  beforeEach(() => {
    held = [];
    unforeseen = [];
    isUnderWay = true;
  });

  const lengthening = (failures: Error[]) =>
    lengthen(600_000, {
      clock,
      isUnderWay: () => isUnderWay,
      hold: (leftMs) => {
        held.push(leftMs);
        const [failure] = failures.splice(0, 1);
        return failure === undefined ? Promise.resolve() : Promise.reject(failure);
      },
      onUnforeseen: (error) => void unforeseen.push(error),
    });

  it('is lengthened as soon as the store is back, which is nothing unforeseen', async () => {
    await clock.runUntil(lengthening([new LedgerUnavailable('away'), new LedgerUnavailable('away')]));
    expect([held, unforeseen]).to.deep.equal([[600_000, 599_000, 598_000], []]);
  });

  it('is left when the attempt has ended, and where the store refuses for another reason, which is said', async () => {
    const away = lengthening([new LedgerUnavailable('away')]);
    isUnderWay = false;
    await clock.runUntil(away);
    isUnderWay = true;
    await clock.runUntil(lengthening([new Error('odd')]));
    expect([held.length, unforeseen.length]).to.deep.equal([2, 1]);
  });
});
