/** What PostgreSQL runs together, and what waits: calls of one job never overtake each other. */
import { expect } from 'chai';
import { CallQueue } from '../../src/ledger/postgres/queue.ts';

interface Call {
  readonly name: string;
  readonly job: string | undefined;
  readonly isPlain: boolean;
  isAlone: boolean;
}

const plain = (name: string, job?: string): Call => ({ name, job, isPlain: true, isAlone: false });
const other = (name: string, job?: string): Call => ({ ...plain(name, job), isPlain: false });

describe('The calls that wait for PostgreSQL', () => {
  const queueOf = (...calls: readonly Call[]) => {
    const queue = new CallQueue<Call>();
    for (const call of calls) queue.add(call);
    return queue;
  };
  const names = (calls: readonly Call[]) => calls.map(({ name }) => name);

  it('are run together where they are plain, in the order of their jobs, and settlements last', () => {
    const queue = queueOf(plain('settled'), plain('of b', 'b'), plain('of a', 'a'));
    expect(names(queue.next())).to.deep.equal(['of a', 'of b', 'settled']);
  });

  it('are run alone where they are not, and nothing that came later goes with what came before', () => {
    const queue = queueOf(plain('first', 'a'), other('second', 'b'), plain('third', 'c'));
    expect([queue.next(), queue.next(), queue.next()].map(names)).to.deep.equal([
      ['first'],
      ['second'],
      ['third'],
    ]);
  });

  it('never overtake an earlier one of their job, whether it runs or waits', () => {
    const queue = queueOf(plain('1', 'a'), other('2', 'a'), plain('3', 'a'), plain('of b', 'b'));
    const first = queue.next();
    expect(names(first)).to.deep.equal(['1']);
    expect(names(queue.next())).to.deep.equal(['of b']);
    expect(names(queue.next())).to.deep.equal([]);
    queue.end(first);
    const second = queue.next();
    expect(names(second)).to.deep.equal(['2']);
    expect(names(queue.next())).to.deep.equal([]);
    queue.end(second);
    expect(names(queue.next())).to.deep.equal(['3']);
  });

  it('are run again, each alone and before all others, where one of them has failed', () => {
    const queue = queueOf(plain('1', 'a'), plain('2', 'b'));
    const batch = queue.next();
    queue.add(plain('later', 'c'));
    queue.end(batch, batch);
    expect([queue.next(), queue.next(), queue.next()].map(names)).to.deep.equal([['1'], ['2'], ['later']]);
  });

  it('are taken 64 at a time', () => {
    const queue = queueOf(...Array.from({ length: 100 }, (_, job) => plain(`${job}`, `${job}`)));
    expect([queue.next().length, queue.next().length, queue.next().length]).to.deep.equal([64, 36, 0]);
  });
});
