import { expect } from 'chai';
import { UnderWay } from '../../src/time/clock.ts';

describe('what is under way', () => {
  it('is counted, and everybody who waits for the last of it is told', async () => {
    const underWay = new UnderWay();
    underWay.begin();
    underWay.begin();
    const told: string[] = [];
    const waiting = ['one', 'two'].map((name) => underWay.idle().then(() => told.push(name)));
    underWay.end();
    await Promise.resolve();
    expect([underWay.count, told]).to.deep.equal([1, []]);
    underWay.end();
    await Promise.all(waiting);
    expect([underWay.count, told]).to.deep.equal([0, ['one', 'two']]);
  });

  it('is under way until it settles, whichever way', async () => {
    const underWay = new UnderWay();
    underWay.until(Promise.resolve());
    underWay.until(Promise.reject(new Error('no')));
    expect(underWay.count).to.equal(2);
    await underWay.idle();
    expect(underWay.count).to.equal(0);
  });

  it('is waited for by nobody where there is nothing', async () => {
    await new UnderWay().idle();
  });

  it('tells who waited once, however often it begins again', async () => {
    const underWay = new UnderWay();
    let times = 0;
    underWay.begin();
    const waiting = underWay.idle().then(() => (times += 1));
    underWay.end();
    underWay.begin();
    underWay.end();
    await waiting;
    expect(times).to.equal(1);
  });
});
