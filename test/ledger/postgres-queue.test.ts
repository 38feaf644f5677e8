/** What PostgreSQL runs together, and what waits: calls of one job, or of a BOT whose rules go by what came before, never overtake each other. */
import { expect } from 'chai';
import { CallQueue } from '../../src/ledger/postgres/queue.ts';

interface Call {
  readonly name: string;
  readonly keys: readonly string[];
  readonly isPlain: boolean;
  readonly order?: number;
  isAlone: boolean;
}

const plain = (name: string, ...keys: string[]): Call => ({ name, keys, isPlain: true, isAlone: false });
const other = (name: string, ...keys: string[]): Call => ({ ...plain(name, ...keys), isPlain: false });

describe('The calls that wait for PostgreSQL', () => {
  const queueOf = (...calls: readonly Call[]) => {
    const queue = new CallQueue<Call>();
    for (const call of calls) queue.add(call);
    return queue;
  };
  const names = (calls: readonly Call[]) => calls.map(({ name }) => name);

  it('never overtake an earlier one of their job, whether it runs or waits', () => {
    const queue = queueOf(plain('1', 'a'), other('2', 'a'), plain('3', 'a'), plain('of b', 'b'));
    const first = queue.next(true);
    expect(names(first)).to.deep.equal(['1', 'of b']);
    expect(names(queue.next(true))).to.deep.equal([]);
    queue.end(first);
    const second = queue.next(true);
    expect(names(second)).to.deep.equal(['2']);
    expect(names(queue.next(true))).to.deep.equal([]);
    queue.end(second);
    expect(names(queue.next(true))).to.deep.equal(['3']);
  });

  it('are run together where they are of other BOTs and other jobs, one after the other where of the same', () => {
    const queue = queueOf(plain('1', 'x', 'a'), plain('2', 'x', 'b'), plain('3', 'y', 'c'), plain('4', 'b'));
    const first = queue.next(true);
    expect(names(first)).to.deep.equal(['1', '3']);
    expect(names(queue.next(true)), 'the fourth one is behind the second').to.deep.equal([]);
    queue.end(first);
    const second = queue.next(true);
    expect(names(second)).to.deep.equal(['2']);
    queue.end(second);
    expect(names(queue.next(true))).to.deep.equal(['4']);
  });

  it('are run in the order of their rows, whatever came first, so that two processes lock them alike', () => {
    const queue = queueOf({ ...plain('third'), order: 10 }, { ...plain('second'), order: 9 }, plain('first'));
    expect(names(queue.next(true))).to.deep.equal(['first', 'second', 'third']);
  });

  it('are run again, each alone and before all others, where one of them has failed', () => {
    const queue = queueOf(plain('1', 'a'), plain('2', 'b'));
    const batch = queue.next(true);
    queue.add(plain('later', 'c'));
    queue.end(batch, batch);
    expect([1, 2, 3].flatMap(() => names(queue.next(true)).join(' and '))).to.deep.equal(['1', '2', 'later']);
  });
});
