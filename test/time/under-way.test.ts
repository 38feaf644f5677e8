import { expect } from 'chai';
import { UnderWay } from '../../src/time/clock.ts';
import { moment } from '../support/moment.ts';

describe('what is under way', () => {
  it('is waited for until the last of it has settled, whichever way', async () => {
    const underWay = new UnderWay();
    const [first, last] = [moment(), moment()];
    underWay.until(first.promise.then(() => Promise.reject(new Error('no'))));
    underWay.until(last.promise);
    const told: string[] = [];
    const waiting = ['one', 'two'].map((name) => underWay.idle().then(() => told.push(name)));
    first.happen();
    await new Promise(setImmediate);
    expect(told).to.deep.equal([]);
    last.happen();
    await Promise.all(waiting);
    expect(told).to.deep.equal(['one', 'two']);
  });

  it('is waited for by nobody where there is nothing', async () => {
    await new UnderWay().idle();
  });
});
