/** Work of one moment is committed together, and nobody suffers for a neighbour. */
import { expect } from 'chai';
import { GroupCommit } from '../../src/ledger/group-commit.ts';
import { Deadline, DeadlinePassed } from '../../src/time/clock.ts';
import { ManualClock, settle } from '../support/manual-clock.ts';
import { moment } from '../support/moment.ts';
import { rejectionOf } from '../support/rejection-of.ts';

const ALWAYS = () => true;
const NEVER = () => false;
const WITHIN_MS = 1000;

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
  let clock: ManualClock;

  const deadline = (withinMs = WITHIN_MS) => new Deadline(clock, withinMs);

  beforeEach(() => {
    clock = new ManualClock();
  });

  it('commits everything that comes in one turn of the event loop once, in order, and gives each its own result', async () => {
    const { batches, commit } = recording();
    const group = new GroupCommit({ commit, mayPassInPieces: ALWAYS });
    const results = await Promise.all(['a', 'b', 'c'].map((work) => group.add(work, deadline())));
    expect(results).to.deep.equal(['A', 'B', 'C']);
    expect(batches).to.deep.equal([['a', 'b', 'c']]);
  });

  it('commits what comes meanwhile afterwards, never two batches at once', async () => {
    let open = 0;
    let most = 0;
    const group = new GroupCommit<number, number>({
      commit: async (batch) => {
        open += 1;
        most = Math.max(most, open);
        await new Promise(setImmediate);
        open -= 1;
        return batch;
      },
      mayPassInPieces: ALWAYS,
    });
    const first = group.add(1, deadline());
    await new Promise(setImmediate);
    expect(await Promise.all([first, group.add(2, deadline()), group.add(3, deadline())])).to.deep.equal([
      1, 2, 3,
    ]);
    expect(most).to.equal(1);
  });

  it('splits what is too much for one batch, in order', async () => {
    const { batches, commit } = recording();
    const group = new GroupCommit({ commit, mayPassInPieces: ALWAYS });
    const works = Array.from({ length: 150 }, (_, number) => `w${number}`);
    await Promise.all(works.map((work) => group.add(work, deadline())));
    expect(batches.map((batch) => batch.length)).to.deep.equal([64, 64, 22]);
    expect(batches.flat()).to.deep.equal(works);
  });

  it('splits what would be too many bytes for one batch, and takes the largest alone', async () => {
    const { batches, commit } = recording();
    const bytesOf = (work: string) => Number(work) * 64 * 1024;
    const group = new GroupCommit({ commit, mayPassInPieces: ALWAYS, bytesOf });
    await Promise.all(['1', '2', '3', '8', '4', '0'].map((work) => group.add(work, deadline())));
    expect(batches).to.deep.equal([['1', '2'], ['3'], ['8'], ['4', '0']]);
  });

  it('lets others go on between two batches', async () => {
    const seen: string[] = [];
    const commit = (batch: readonly string[]) => {
      seen.push(`${batch.length} written`);
      return Promise.resolve(batch);
    };
    const group = new GroupCommit({ commit, mayPassInPieces: ALWAYS });
    const works = Array.from({ length: 65 }, (_, number) => group.add(`w${number}`, deadline()));
    setImmediate(() => seen.push('something else'));
    await Promise.all(works);
    expect(seen).to.deep.equal(['64 written', 'something else', '1 written']);
  });

  it('spares the neighbours of work that is refused', async () => {
    const { batches, commit } = recording((work) => work === 'bad');
    const group = new GroupCommit({ commit, mayPassInPieces: ALWAYS });
    const outcomes = await Promise.allSettled(['a', 'bad', 'c'].map((work) => group.add(work, deadline())));
    expect(outcomes.map((each) => each.status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect(batches).to.deep.equal([['a', 'bad', 'c'], ['a'], ['bad'], ['c']]);
  });

  it('tries nobody alone where that cannot help', async () => {
    const { batches, commit } = recording(ALWAYS);
    const group = new GroupCommit({ commit, mayPassInPieces: NEVER });
    const outcomes = await Promise.allSettled(['a', 'b'].map((work) => group.add(work, deadline())));
    expect(outcomes.map((each) => each.status)).to.deep.equal(['rejected', 'rejected']);
    expect(batches).to.deep.equal([['a', 'b']]);
  });

  it('works on after a failure', async () => {
    const { commit } = recording((work) => work === 'bad');
    const group = new GroupCommit({ commit, mayPassInPieces: ALWAYS });
    await group.add('bad', deadline()).catch(() => undefined);
    expect(await group.add('good', deadline())).to.equal('GOOD');
  });

  describe('while the process is busy', () => {
    const nextTurn = () => new Promise(setImmediate);

    /** A clock that each look moves on: by the time that the turn of the event loop took. */
    function clockOf(turnsMs: readonly number[], afterwardsMs: number) {
      const turns = [...turnsMs];
      let now = 0;
      return () => (now += turns.shift() ?? afterwardsMs);
    }

    /** Whose last batch was two. */
    async function busyGroup(now: () => number) {
      const { batches, commit } = recording();
      const group = new GroupCommit({ commit, mayPassInPieces: ALWAYS, now });
      await Promise.all(['x', 'y'].map((work) => group.add(work, deadline())));
      return { batches, add: (work: string) => group.add(work, deadline()) };
    }

    it('commits a lone piece of work at the end of the turn, however busy the event loop is', async () => {
      const { batches, commit } = recording();
      let looks = 0;
      const group = new GroupCommit({ commit, mayPassInPieces: ALWAYS, now: () => (looks += 1) });
      await group.add('a', deadline());
      await group.add('b', deadline());
      expect(batches).to.deep.equal([['a'], ['b']]);
      expect(looks).to.equal(4);
    });

    it('waits for more, until the event loop is idle', async () => {
      const { batches, add } = await busyGroup(clockOf([0, 0, 0, 1, 1], 0));
      const early = Promise.all([add('a'), add('b')]);
      await nextTurn();
      expect(batches).to.have.length(1);
      await Promise.all([early, add('c')]);
      expect(batches.slice(1)).to.deep.equal([['a', 'b', 'c']]);
    });

    it('waits five milliseconds at most, however busy the event loop stays', async () => {
      let now = 0;
      const { add } = await busyGroup(() => (now += 1));
      const addedAt = now + 1;
      await add('a');
      expect(now - addedAt).to.equal(5);
    });

    it('waits for nothing more once a batch is full', async () => {
      let looks = 0;
      const { batches, add } = await busyGroup(() => (looks += 1));
      looks = 0;
      const works = Array.from({ length: 64 }, (_, number) => `w${number}`);
      await Promise.all(works.map(add));
      expect(batches.slice(1)).to.deep.equal([works]);
      expect(looks).to.equal(2);
    });
  });

  describe('whose store hangs', () => {
    it('gives everybody up at their own deadline, those who wait for their turn as well', async () => {
      const group = new GroupCommit({
        commit: () => new Promise<string[]>(() => undefined),
        mayPassInPieces: ALWAYS,
      });
      const begun = clock.now();
      const givenUpAfter = (work: string, withinMs: number) =>
        rejectionOf(group.add(work, deadline(withinMs))).then((error) => [error.name, clock.now() - begun]);
      const first = givenUpAfter('a', 300);
      await settle();
      const all = Promise.all([first, givenUpAfter('b', 200), givenUpAfter('c', 400)]);
      await clock.advance(1000);
      expect(await all).to.deep.equal([
        ['DeadlinePassed', 300],
        ['DeadlinePassed', 200],
        ['DeadlinePassed', 400],
      ]);
    });

    it('gives a batch the time of the one that has most, and commits nothing whose time is over', async () => {
      const batches: string[][] = [];
      const remaining: number[] = [];
      const release = moment();
      const group = new GroupCommit<string, string>({
        commit: async (batch, { remainingMs }) => {
          batches.push([...batch]);
          remaining.push(remainingMs);
          await release.promise;
          return batch;
        },
        mayPassInPieces: ALWAYS,
      });
      const first = Promise.all(
        [group.add('a', deadline(200)), group.add('b', deadline(700))].map(outcomeOf),
      );
      await settle();
      const waiting = Promise.all(
        [group.add('c', deadline(100)), group.add('d', deadline(900))].map(outcomeOf),
      );
      await clock.advance(300);
      release.happen();
      expect(await first).to.deep.equal(['DeadlinePassed', 'b']);
      expect(await waiting).to.deep.equal(['DeadlinePassed', 'd']);
      expect(batches).to.deep.equal([['a', 'b'], ['d']]);
      expect(remaining).to.deep.equal([700, 600]);
    });

    it('says what was committed after its deadline all the same', async () => {
      const release = moment();
      const late: [string, string][] = [];
      const group = new GroupCommit<string, string>({
        commit: async (batch) => {
          await release.promise;
          return batch.map((work) => work.toUpperCase());
        },
        mayPassInPieces: ALWAYS,
        onLate: (work, result) => late.push([work, result]),
      });
      const both = Promise.all([group.add('a', deadline(200)), group.add('b', deadline(700))].map(outcomeOf));
      await clock.advance(300);
      release.happen();
      expect(await both).to.deep.equal(['DeadlinePassed', 'B']);
      expect(late).to.deep.equal([['a', 'A']]);
    });

    it('stops trying pieces when the store fails meanwhile', async () => {
      const tried: string[][] = [];
      const group = new GroupCommit<string, string>({
        commit: (batch) => {
          tried.push([...batch]);
          return Promise.reject(tried.length === 1 ? new Error('refused') : new DeadlinePassed('silent'));
        },
        mayPassInPieces: (error) => !(error instanceof DeadlinePassed),
      });
      const all = ['a', 'b', 'c'].map((work) => outcomeOf(group.add(work, deadline())));
      expect(await Promise.all(all)).to.deep.equal(Array(3).fill('DeadlinePassed'));
      expect(tried).to.deep.equal([['a', 'b', 'c'], ['a']]);
    });
  });
});

/** What it resolved with, or the name of the error. */
function outcomeOf(promise: Promise<string>): Promise<string> {
  return promise.catch((error: Error) => error.name);
}
