/** Identical callbacks take turns; different ones do not wait for each other. */
import { expect } from 'chai';
import { KeyedQueue } from '../../src/deliver/keyed-queue.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { moment } from '../support/moment.ts';
import { settle } from '../support/manual-clock.ts';

describe('a keyed queue', () => {
  it('runs work under one key one after the other, in order', async () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const gates = [moment(), moment()];
    const runs = gates.map(({ promise }, number) =>
      queue.run('a', async () => {
        log.push(`begin ${number}`);
        await promise;
        log.push(`end ${number}`);
        return number;
      }),
    );
    gates[1]?.happen();
    await settle();
    expect(log).to.deep.equal(['begin 0']);
    gates[0]?.happen();
    expect(await Promise.all(runs)).to.deep.equal([0, 1]);
    expect(log).to.deep.equal(['begin 0', 'end 0', 'begin 1', 'end 1']);
  });

  it('lets different keys run at the same time', async () => {
    const queue = new KeyedQueue();
    const { promise, happen } = moment();
    const waiting = queue.run('a', () => promise);
    expect(await queue.run('b', () => Promise.resolve('done'))).to.equal('done');
    happen();
    await waiting;
  });

  it('goes on after work that failed, and tells only whose it was', async () => {
    const queue = new KeyedQueue();
    const failing = queue.run('a', () => Promise.reject(new Error('no')));
    const next = queue.run('a', () => Promise.resolve('yes'));
    expect((await rejectionOf(failing)).message).to.equal('no');
    expect(await next).to.equal('yes');
    expect(await queue.run('a', () => Promise.resolve('again'))).to.equal('again');
  });
});
