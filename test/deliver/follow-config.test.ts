/** When what the config no longer sent anywhere is looked at again. */
import { expect } from 'chai';
import type { Delivering } from '../../src/deliver/delivering.ts';
import { ConfigFollower } from '../../src/deliver/follow-config.ts';

describe('What is held since no route names it', () => {
  it('is looked at again once a process with another config, which may have held it, is gone', async () => {
    let mayRouteAnew = true;
    let looks = 0;
    const ledger = {
      heartbeat: () => Promise.resolve(mayRouteAnew),
      waitingAfter: () => Promise.resolve([]),
      unroutedAfter: () => Promise.resolve((looks += 1) && []),
    };
    const settings = { current: { config: { channels: new Map() }, configHash: 'a' } };
    const follower = new ConfigFollower({
      ledger,
      settings,
      onDue: () => undefined,
    } as unknown as Delivering);
    const beatAndReview = async () => {
      await follower.beat();
      while (await follower.review());
    };
    await beatAndReview();
    await beatAndReview();
    expect(looks).to.equal(1);
    mayRouteAnew = false;
    await beatAndReview();
    expect(looks).to.equal(1);
    mayRouteAnew = true;
    await beatAndReview();
    expect(looks).to.equal(2);
  });
});
