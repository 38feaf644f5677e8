import { expect } from 'chai';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { claim } from '../../src/ledger/deliveries/claim.ts';
import type { Tx } from '../../src/ledger/database.ts';
import { rejectionOf } from '../support/rejection-of.ts';

describe('a claim', () => {
  it('fails with its statements, also where it asks for nothing, so that no store’s trouble ends the process', async () => {
    const lost = new LedgerUnavailable('the connection is lost');
    const tx: Partial<Tx> = { all: () => Promise.reject(lost) };
    expect(await rejectionOf(claim(tx as Tx, {}))).to.equal(lost);
  });
});
