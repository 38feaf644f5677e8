import { expect } from 'chai';
import { Turns, type TurnLimits } from '../../src/channels/turns.ts';
import { ManualClock } from '../support/manual-clock.ts';

describe('the turns of mails', () => {
  const open = (limits: Partial<TurnLimits>) => {
    const clock = new ManualClock();
    return { clock, turns: new Turns({ connections: 100, mails: 0, perMs: 1000, ...limits }, clock) };
  };
  const WELL_MS = 60_000;

  it('come in order, as many at a time as there are connections', async () => {
    const { turns } = open({ connections: 1 });
    const taken: number[] = [];
    const first = await turns.take(WELL_MS, 'a');
    const take = async (number: number) => {
      const give = await turns.take(WELL_MS, 'a');
      taken.push(number);
      give?.();
    };
    for (const number of [2, 3]) void take(number);
    await Promise.resolve();
    expect(taken).to.deep.equal([]);
    first?.();
    await turns.take(WELL_MS, 'a');
    expect(taken).to.deep.equal([2, 3]);
  });

  it('come as fast as the rate allows', async () => {
    const { clock, turns } = open({ mails: 2, perMs: 1000 });
    const at: number[] = [];
    const since = clock.monotonic();
    const take = async () => (await turns.take(WELL_MS, 'a'), at.push(clock.monotonic() - since));
    await clock.runUntil(Promise.all([take(), take(), take(), take(), take()]));
    expect(at).to.deep.equal([0, 0, 1000, 1000, 2000]);
  });

  it('do not come to whoever has waited for too long, nor are they lost by it', async () => {
    const { clock, turns } = open({ connections: 1 });
    const first = await turns.take(WELL_MS, 'a');
    expect(await clock.runUntil(Promise.resolve(turns.take(500, 'a')))).to.equal(undefined);
    first?.();
    expect(await turns.take(500, 'a')).to.be.a('function');
  });

  it('leave some to others, however many wait for destinations that do not answer', async () => {
    const { clock, turns } = open({ connections: 5 });
    const taken: string[] = [];
    const take = async (whose: string) => {
      const giveBack = await turns.take(WELL_MS, whose);
      taken.push(whose);
      return giveBack;
    };
    const [first] = ['a', 'a', 'a', 'a', 'a', 'a', 'b', 'b'].map(take);
    (await first)?.();
    await clock.runUntil(take('c'));
    expect(taken).to.deep.equal(['a', 'a', 'a', 'a', 'b', 'c']);
  });

  it('come at once to a destination that has none, where each is a remote of its own, whatever the others hold', async () => {
    const { clock, turns } = open({ connections: 2, isFirstFree: true });
    const isGiven = async (whose: string) => (await turns.take(500, whose)) !== undefined;
    const given = Promise.all(['a', 'b', 'c', 'a', 'd'].map(isGiven));
    expect(await clock.runUntil(given)).to.deep.equal([true, true, true, false, true]);
  });
});
