/** The three states of an execution, by number and by name. */
import { expect } from 'chai';
import { ALL_STATUSES, statusNameOf } from '../../src/callback/callback.ts';

describe('statusNameOf', () => {
  it('names each status as the callback interface numbers it', () => {
    expect(([0, 1, 2] as const).map((status) => statusNameOf({ status }))).to.deep.equal([
      'succeeded',
      'error',
      'executing',
    ]);
    expect(ALL_STATUSES).to.deep.equal(['succeeded', 'error', 'executing']);
  });
});
