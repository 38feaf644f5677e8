/** When a destination may be sent the next message. */
import { expect } from 'chai';
import { Paces, type PaceStore } from '../../src/deliver/pace.ts';
import { ManualClock } from '../support/manual-clock.ts';

const OPS = 'slack:#ops';
const LOG = 'slack:#log';
const THIRD = 'slack:#third';
const MAIL = 'email:a@example.com';

/** Paces as the ledger keeps them. */
function pacesIn(clock: ManualClock): PaceStore {
  const paces = new Map<string, number>();
  return {
    reservePace(key, intervalMs, mostMs) {
      const now = clock.monotonic();
      const slot = Math.max(now, paces.get(key) ?? 0);
      if (slot - now > mostMs) return Promise.resolve(undefined);
      paces.set(key, slot + intervalMs);
      return Promise.resolve(slot - now);
    },
    pausePace(key, ms) {
      paces.set(key, clock.monotonic() + ms);
      return Promise.resolve();
    },
    forgetPaces(channel) {
      for (const key of paces.keys()) if (key === channel || key.startsWith(`${channel}:`)) paces.delete(key);
      return Promise.resolve();
    },
    currentPaces() {
      const now = clock.monotonic();
      for (const [key, at] of paces) if (at < now - 60_000) paces.delete(key);
      return Promise.resolve([...paces].map(([key, at]) => ({ key, nextInMs: at - now })));
    },
  };
}

describe('a destination’s pace', () => {
  let clock: ManualClock;
  let paces: Paces;
  let startedAt: number;

  const pacesOver = (store = pacesIn(clock), channelMs = 200) =>
    new Paces({
      clock,
      store,
      paceOf: () => ({ addressMs: 1000, channelMs }),
      onTrouble: (error) => {
        throw error;
      },
    });
  /** When it got its slot, counted from the start; undefined: it got none. */
  const slot = async (place: string, withinMs = 8000, of = paces) => {
    const isTurn = await of.slot(place, clock.monotonic() + withinMs);
    return isTurn ? clock.monotonic() - startedAt : undefined;
  };
  const slots = async (place: string, count: number) => {
    const times: (number | undefined)[] = [];
    for (let turn = 0; turn < count; turn += 1) times.push(await clock.runUntil(slot(place)));
    return times;
  };
  const limit = (place: string, ms: number) => paces.limited(place, ms);

  beforeEach(() => {
    clock = new ManualClock();
    paces = pacesOver();
    startedAt = clock.monotonic();
  });

  it('is none as long as nobody is limited', async () => {
    expect([paces.isPaced(OPS), paces.waitMs(OPS)]).to.deep.equal([false, 0]);
    expect(await slots(OPS, 3)).to.deep.equal([0, 0, 0]);
  });

  it('is one message a second after its pause', async () => {
    limit(OPS, 1000);
    expect(await slots(OPS, 3)).to.deep.equal([1000, 2000, 3000]);
    expect([paces.isPaced(LOG), paces.isPaced(MAIL)]).to.deep.equal([false, false]);
  });

  it('gives no slot that comes too late, and says so at once', async () => {
    limit(OPS, 1000);
    expect(await slot(OPS, 1050)).to.equal(undefined);
    expect(clock.monotonic()).to.equal(startedAt);
  });

  it('begins anew with another pause, which makes the slots before it void', async () => {
    limit(OPS, 1000);
    const waiting = slot(OPS, 20_000);
    await clock.advance(500);
    limit(OPS, 5000);
    expect(await clock.runUntil(waiting)).to.equal(5500);
  });

  it('goes on as long as the longest pause that was asked for', async () => {
    limit(OPS, 12_000);
    await clock.advance(50);
    limit(LOG, 1000);
    paces.limited(OPS, 1000, 'channel');
    expect(paces.waitMs(OPS)).to.equal(11_950);
  });

  it('takes a limit of what was under way when a pause began for the same limit', async () => {
    limit(OPS, 1000);
    await clock.advance(50);
    limit(OPS, 1000);
    expect(await slots(OPS, 1)).to.deep.equal([1000]);
  });

  it('becomes a little slower where it is kept and limited all the same', async () => {
    limit(OPS, 1000);
    await slots(OPS, 1);
    limit(OPS, 1000);
    expect(await slots(OPS, 2)).to.deep.equal([2000, 3020]);
  });

  it('is kept until nothing has been sent for a minute', async () => {
    limit(OPS, 1000);
    await slots(OPS, 1);
    await clock.advance(59_000);
    await paces.refresh();
    expect(paces.isPaced(OPS)).to.equal(true);
    await clock.advance(3000);
    await paces.refresh();
    expect(paces.isPaced(OPS)).to.equal(false);
  });

  it('becomes its channel’s where a second destination is limited while the first is paused', async () => {
    limit(OPS, 10_000);
    limit(LOG, 4000);
    expect(paces.paused.map(({ key, ms }) => [key, ms])).to.have.deep.members([
      ['slack:#ops', 10_000],
      ['slack', 4000],
      ['slack:#log', 4000],
    ]);
    expect(await slots(THIRD, 3)).to.deep.equal([4000, 4200, 4400]);
    expect(paces.isPaced(MAIL)).to.equal(false);
  });

  it('is its channel’s at once where the remote says that it limits the whole of it', () => {
    paces.limited(OPS, 4000, 'channel');
    expect(paces.isPaced(LOG)).to.equal(true);
  });

  it('is never its channel’s where destinations share no limit', () => {
    paces = pacesOver(pacesIn(clock), 0);
    limit(OPS, 10_000);
    limit(LOG, 4000);
    expect(paces.isPaced(THIRD)).to.equal(false);
  });

  it('is its own where the pause of the first is over', async () => {
    limit(OPS, 1000);
    await clock.advance(1500);
    limit(LOG, 1000);
    expect(paces.isPaced(THIRD)).to.equal(false);
  });

  it('is shared with other processes on the same store', async () => {
    const store = pacesIn(clock);
    paces = pacesOver(store);
    limit(OPS, 1000);
    await clock.advance(0);
    const other = pacesOver(store);
    await other.refresh();
    expect(other.waitMs(OPS)).to.equal(1000);
    const times = await clock.runUntil(
      Promise.all([slot(OPS), slot(OPS, 8000, other), slot(OPS), slot(OPS, 8000, other)]),
    );
    expect(times.toSorted()).to.deep.equal([1000, 2000, 3000, 4000]);
  });

  it('ends where another remote is behind its channel', async () => {
    const store = pacesIn(clock);
    paces = pacesOver(store);
    for (const place of [OPS, MAIL]) limit(place, 60_000);
    await paces.forget('slack');
    expect(await slot(OPS)).to.equal(0);
    expect((await store.currentPaces()).map(({ key }) => key)).to.deep.equal([MAIL]);
  });

  it('is known after a restart', async () => {
    const store = pacesIn(clock);
    paces = pacesOver(store);
    limit(OPS, 3000);
    await clock.advance(0);
    paces = pacesOver(store);
    await paces.refresh();
    expect(await slots(OPS, 1)).to.deep.equal([3000]);
  });
});
