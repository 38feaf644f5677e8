/** Work of one moment is committed together, and nobody suffers for a neighbour. */
import { expect } from 'chai';
import { GroupCommit } from '../../src/ledger/group-commit.ts';

const ALWAYS = () => true;
const NEVER = () => false;

function recording(isRefused: (work: string) => boolean = () => false) {
  const batches: string[][] = [];
  const commit = (batch: readonly string[]) => {
    batches.push([...batch]);
    const bad = batch.find(isRefused);
    return bad === undefined
      ? Promise.resolve(batch.map((work) => work.toUpperCase()))
      : Promise.reject(new Error(`refused ${bad}`));
  };
  return { batches, commit };
}

describe('group commit', () => {
  it('commits everything that comes in one turn of the event loop once, in order, and gives each its own result', async () => {
    const { batches, commit } = recording();
    const group = new GroupCommit(commit, ALWAYS);
    const results = await Promise.all(['a', 'b', 'c'].map((work) => group.add(work)));
    expect(results).to.deep.equal(['A', 'B', 'C']);
    expect(batches).to.deep.equal([['a', 'b', 'c']]);
  });

  it('commits what comes meanwhile afterwards, never two batches at once', async () => {
    let open = 0;
    let most = 0;
    const group = new GroupCommit<number, number>(async (batch) => {
      open += 1;
      most = Math.max(most, open);
      await new Promise(setImmediate);
      open -= 1;
      return batch;
    }, ALWAYS);
    const first = group.add(1);
    await new Promise(setImmediate);
    expect(await Promise.all([first, group.add(2), group.add(3)])).to.deep.equal([1, 2, 3]);
    expect(most).to.equal(1);
  });

  it('splits what is too much for one batch, in order', async () => {
    const { batches, commit } = recording();
    const group = new GroupCommit(commit, ALWAYS);
    const works = Array.from({ length: 150 }, (_, number) => `w${number}`);
    await Promise.all(works.map((work) => group.add(work)));
    expect(batches.map((batch) => batch.length)).to.deep.equal([64, 64, 22]);
    expect(batches.flat()).to.deep.equal(works);
  });

  it('spares the neighbours of work that is refused', async () => {
    const { batches, commit } = recording((work) => work === 'bad');
    const group = new GroupCommit(commit, ALWAYS);
    const outcomes = await Promise.allSettled(['a', 'bad', 'c'].map((work) => group.add(work)));
    expect(outcomes.map((each) => each.status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect(batches).to.deep.equal([['a', 'bad', 'c'], ['a'], ['bad'], ['c']]);
  });

  it('tries nobody alone where that cannot help', async () => {
    const { batches, commit } = recording(ALWAYS);
    const group = new GroupCommit(commit, NEVER);
    const outcomes = await Promise.allSettled(['a', 'b'].map((work) => group.add(work)));
    expect(outcomes.map((each) => each.status)).to.deep.equal(['rejected', 'rejected']);
    expect(batches).to.deep.equal([['a', 'b']]);
  });

  it('works on after a failure', async () => {
    const { commit } = recording((work) => work === 'bad');
    const group = new GroupCommit(commit, ALWAYS);
    await group.add('bad').catch(() => undefined);
    expect(await group.add('good')).to.equal('GOOD');
  });
});
