/** How many callbacks are let in, and when the last one is through. */
import { expect } from 'chai';
import { HttpProblem } from '../../src/http/problem.ts';
import { Traffic } from '../../src/receive/traffic.ts';
import { moment } from '../support/moment.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { settle } from '../support/manual-clock.ts';

async function statusOf(passing: Promise<void>): Promise<number | undefined> {
  const error = await rejectionOf(passing);
  return error instanceof HttpProblem ? error.details.status : undefined;
}

describe('traffic', () => {
  it('lets so many in at once and turns the next away with 503', async () => {
    const traffic = new Traffic(2);
    const [first, second] = [moment(), moment()];
    const running = [traffic.pass(() => first.promise), traffic.pass(() => second.promise)];
    expect(await statusOf(traffic.pass(() => Promise.resolve()))).to.equal(503);
    first.happen();
    await running[0];
    await traffic.pass(() => Promise.resolve());
    second.happen();
    await running[1];
  });

  it('frees the place of what failed', async () => {
    const traffic = new Traffic(1);
    await rejectionOf(traffic.pass(() => Promise.reject(new Error('no'))));
    await traffic.pass(() => Promise.resolve());
  });

  it('is drained at once when nothing is under way', async () => {
    const traffic = new Traffic(1);
    expect(traffic.isDraining).to.equal(false);
    await traffic.drain();
    expect(traffic.isDraining).to.equal(true);
    expect(await statusOf(traffic.pass(() => Promise.resolve()))).to.equal(503);
  });

  it('is drained when the last one is through', async () => {
    const traffic = new Traffic(2);
    const [first, second] = [moment(), moment()];
    const running = [traffic.pass(() => first.promise), traffic.pass(() => second.promise)];
    let isDrained = false;
    const drained = traffic.drain().then(() => void (isDrained = true));
    first.happen();
    await settle();
    expect(isDrained).to.equal(false);
    second.happen();
    await Promise.all([drained, ...running]);
  });
});
