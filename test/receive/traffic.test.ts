/** Whether callbacks are let in, and when the last one is through. */
import { expect } from 'chai';
import { HttpProblem } from '../../src/http/problem.ts';
import { Traffic } from '../../src/receive/loads.ts';
import { settle } from '../support/manual-clock.ts';
import { moment } from '../support/moment.ts';

function statusOf(entering: () => void): number | undefined {
  try {
    entering();
    return undefined;
  } catch (error) {
    return error instanceof HttpProblem ? error.details.status : undefined;
  }
}

describe('traffic', () => {
  it('is drained at once when nothing is under way', async () => {
    const traffic = new Traffic();
    expect(traffic.isDraining).to.equal(false);
    await traffic.drain();
    expect(traffic.isDraining).to.equal(true);
    expect(statusOf(() => traffic.refuseWhileDraining())).to.equal(503);
  });

  it('is drained when the last one is through', async () => {
    const traffic = new Traffic();
    const [first, second] = [moment(), moment()];
    const both = [first, second].map(({ promise }) => traffic.during(() => promise));
    let isDrained = false;
    const drained = traffic.drain().then(() => void (isDrained = true));
    first.happen();
    await settle();
    expect(isDrained).to.equal(false);
    second.happen();
    await Promise.all([drained, ...both]);
  });
});
