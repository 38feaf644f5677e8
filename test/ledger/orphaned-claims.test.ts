/** A claim that nobody works on is given back, and never one that somebody works on again. */
import { expect } from 'chai';
import { OrphanedClaims } from '../../src/ledger/settle/settlements.ts';

describe('orphaned claims', () => {
  let released: [readonly number[], readonly string[]][];
  let isAway: boolean;
  let orphans: OrphanedClaims;

  beforeEach(() => {
    released = [];
    isAway = false;
    orphans = new OrphanedClaims((ids, jobIds) => {
      released.push([ids, jobIds]);
      return isAway ? Promise.reject(new Error('gone')) : Promise.resolve();
    });
  });

  it('are released once, after whoever may still be committing for their jobs', async () => {
    orphans.keep([1, 2], ['job-1']);
    orphans.keep([3]);
    await Promise.all([orphans.flush(), orphans.flush()]);
    await orphans.flush();
    expect(released).to.deep.equal([[[1, 2, 3], ['job-1']]]);
    expect(orphans.isEmpty).to.equal(true);
  });

  it('stay while the store is away, and stop nobody else', async () => {
    orphans.keep([1], ['job-1']);
    isAway = true;
    await orphans.flush();
    expect(orphans.isEmpty).to.equal(false);
    isAway = false;
    await orphans.flush();
    expect(released.at(-1)).to.deep.equal([[1], ['job-1']]);
  });

  it('are none any more when somebody works on them again', async () => {
    orphans.keep([1, 2]);
    orphans.adopt([1]);
    await orphans.flush();
    expect(released).to.deep.equal([[[2], []]]);
  });

  it('of an admission that claimed nothing are nothing to release', async () => {
    orphans.keep([], ['job-1']);
    await orphans.flush();
    expect(released).to.deep.equal([]);
  });
});
