/** Company for whoever comes while the process is busy, and no waiting for whoever comes alone. */
import { expect } from 'chai';
import { Convoy } from '../../src/time/convoy.ts';

const nextTurn = () => new Promise(setImmediate);

/** A clock that each look moves on: the time that the turn of the event loop took. */
function clockOf(turnsMs: readonly number[], afterwardsMs: number) {
  const turns = [0, ...turnsMs];
  let now = 0;
  return () => (now += turns.shift() ?? afterwardsMs);
}

function joined(convoy: Convoy, names: readonly string[], gone: string[]): Promise<unknown> {
  return Promise.all(names.map((name) => convoy.join().then(() => gone.push(name))));
}

/** Whose last travellers were two. */
async function busyConvoy(now?: () => number): Promise<Convoy> {
  const convoy = new Convoy(now);
  await Promise.all([convoy.join(), convoy.join()]);
  return convoy;
}

describe('a convoy', () => {
  it('lets a lone traveller go at the end of the turn, however busy the event loop is', async () => {
    let now = 0;
    const convoy = new Convoy(() => (now += 1));
    await convoy.join();
    await convoy.join();
    expect(now).to.equal(4);
  });

  it('waits for company while the event loop is busy, and lets all go in the order in which they came', async () => {
    const gone: string[] = [];
    const convoy = await busyConvoy(clockOf([0, 0, 1, 1], 0));
    const early = joined(convoy, ['first', 'second'], gone);
    await nextTurn();
    expect(gone).to.deep.equal([]);
    await Promise.all([early, joined(convoy, ['third'], gone)]);
    expect(gone).to.deep.equal(['first', 'second', 'third']);
  });

  it('waits five milliseconds at most, however busy the event loop stays', async () => {
    let now = 0;
    const convoy = await busyConvoy(() => (now += 1));
    const joinedAt = now + 1;
    await convoy.join();
    expect(now - joinedAt).to.equal(5);
  });

  it('waits for nobody more once it is sixty-four strong', async () => {
    const gone: string[] = [];
    let looks = 0;
    const convoy = await busyConvoy(() => (looks += 1));
    looks = 0;
    const names = Array.from({ length: 64 }, (_, number) => `traveller ${number}`);
    await joined(convoy, names, gone);
    expect(gone).to.deep.equal(names);
    expect(looks).to.equal(2);
  });

  it('starts anew for whoever comes after it has left', async () => {
    const convoy = new Convoy();
    await convoy.join();
    await Promise.all([convoy.join(), convoy.join()]);
  });
});
