/** When a destination may be sent the next message. */
import { expect } from 'chai';
import { type LanePlace, Lanes, type Rank, type Refusal } from '../../src/deliver/lanes.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { memoryPaces } from '../support/memory-paces.ts';

const OPS: LanePlace = { destination: 'slack:#ops', channel: 'slack' };
const LOG: LanePlace = { destination: 'slack:#log', channel: 'slack' };
const MAIL: LanePlace = { destination: 'email:a@example.com', channel: 'email' };

describe('the lanes', () => {
  let clock: ManualClock;
  let lanes: Lanes;
  /** When each one was let in, counted from the start, or why not. */
  let entered: [string, number | string][];

  const lanesOver = (store = memoryPaces(clock)) =>
    new Lanes({
      clock,
      store,
      paceOf: () => ({ addressMs: 1000, channelMs: 200 }),
      onTrouble: (error) => {
        throw error;
      },
    });
  let startedAt: number;
  const enter = (place: LanePlace, withinMs = 8000, rank: Rank = 'new') =>
    note(place, lanes.enter(place, clock.monotonic() + withinMs, rank));
  const note = async (place: LanePlace, entry: Refusal | Promise<Refusal>) => {
    const refusal = await entry;
    if (refusal === undefined) lanes.started(place.destination);
    entered.push([place.destination, refusal ?? clock.monotonic() - startedAt]);
  };
  const limit = (place: LanePlace, ms: number) => lanes.limited(place, ms, clock.monotonic());

  beforeEach(() => {
    clock = new ManualClock();
    lanes = lanesOver();
    entered = [];
    startedAt = clock.monotonic();
  });

  it('let everybody in at once as long as nobody is limited', async () => {
    await Promise.all([enter(OPS), enter(OPS), enter(LOG), enter(MAIL)]);
    expect(entered.map(([, at]) => at)).to.deep.equal([0, 0, 0, 0]);
  });

  it('give a limited destination one slot a second after its pause, in the order of arrival', async () => {
    limit(OPS, 1000);
    const all = [1, 2, 3].map(() => enter(OPS));
    await clock.runUntil(Promise.all(all));
    expect(entered.map(([, at]) => at)).to.deep.equal([1000, 2000, 3000]);
  });

  it('refuse at once who cannot be let in before the deadline', async () => {
    limit(OPS, 1000);
    void [1, 2, 3].map(() => enter(OPS, 2500));
    await clock.advance(0);
    expect(entered).to.deep.equal([['slack:#ops', 'rate_limit']]);
    await clock.advance(2500);
    expect(entered.map(([, at]) => at)).to.deep.equal(['rate_limit', 1000, 2000]);
  });

  it('let other destinations in meanwhile', async () => {
    limit(OPS, 60_000);
    await Promise.all([enter(LOG), enter(MAIL)]);
    expect(entered.map(([, at]) => at)).to.deep.equal([0, 0]);
  });

  it('void the slots that were given before another pause', async () => {
    limit(OPS, 1000);
    const all = [1, 2].map(() => enter(OPS, 20_000));
    await clock.advance(1100);
    limit(OPS, 5000);
    await clock.runUntil(Promise.all(all));
    expect(entered.map(([, at]) => at)).to.deep.equal([1000, 6100]);
  });

  it('take a limit of what was under way when a pause began for the same limit', async () => {
    const before = clock.monotonic();
    limit(OPS, 1000);
    const first = enter(OPS);
    await clock.advance(50);
    lanes.limited(OPS, 1000, before);
    await clock.runUntil(first);
    expect(entered.map(([, at]) => at)).to.deep.equal([1000]);
  });

  it('keep the pace until nothing has waited for a minute', async () => {
    limit(OPS, 1000);
    await clock.runUntil(enter(OPS));
    await clock.advance(59_000);
    await lanes.refresh();
    expect(lanes.isPaced(OPS.destination)).to.equal(true);
    await clock.advance(3000);
    await lanes.refresh();
    expect(lanes.isPaced(OPS.destination)).to.equal(false);
  });

  it('pause the whole channel when one that kept its pace is limited beside a paused one', async () => {
    await enter(LOG);
    await clock.advance(1500);
    limit(OPS, 10_000);
    await enter(LOG);
    limit(LOG, 4000);
    expect(lanes.pausedMs('slack')).to.equal(4000);
    await clock.runUntil(enter({ destination: 'slack:#third', channel: 'slack' }));
    expect(entered.at(-1)).to.deep.equal(['slack:#third', 5500]);
  });

  it('let a paused channel’s destinations in one after the other at its pace, once its pause is over', async () => {
    await enter(LOG);
    await clock.advance(1500);
    limit(OPS, 1000);
    await enter(LOG);
    limit(LOG, 1000);
    entered = [];
    const places = [1, 2, 3].map((number) => ({ destination: `slack:#n${number}`, channel: 'slack' }));
    await clock.runUntil(Promise.all([...places.map((place) => enter(place)), enter(MAIL)]));
    expect(entered).to.deep.equal([
      [MAIL.destination, 1500],
      ['slack:#n1', 2500],
      ['slack:#n2', 2700],
      ['slack:#n3', 2900],
    ]);
  });

  it('leave the channel alone when one is limited that did not keep its pace', async () => {
    limit(OPS, 10_000);
    await enter(LOG);
    await enter(LOG);
    limit(LOG, 4000);
    expect(lanes.pausedMs('slack')).to.equal(0);
  });

  it('let what comes new go behind what is due, and what is due before it', async () => {
    lanes.setBacklog(OPS.destination, true);
    await enter(OPS);
    await enter(OPS, 8000, 'next');
    lanes.setBacklog(OPS.destination, false);
    await enter(OPS);
    expect(entered.map(([, at]) => at)).to.deep.equal(['backlog', 0, 0]);
  });

  it('refuse everybody once they are stopped, who waits at once', async () => {
    limit(OPS, 5000);
    const waiting = enter(OPS);
    await clock.advance(100);
    lanes.stop();
    await waiting;
    await enter(MAIL);
    expect(entered.map(([, at]) => at)).to.deep.equal(['stopping', 'stopping']);
  });

  it('give a destination that is limited though it keeps its pace a little more time', async () => {
    limit(OPS, 1000);
    await clock.runUntil(enter(OPS));
    limit(OPS, 1000);
    await clock.runUntil(Promise.all([1, 2].map(() => enter(OPS))));
    expect(entered.map(([, at]) => at)).to.deep.equal([1000, 2000, 3020]);
  });

  it('share the pace with other processes on the same store', async () => {
    const store = { ...memoryPaces(clock), isShared: true };
    lanes = lanesOver(store);
    limit(OPS, 1000);
    await clock.advance(0);
    const first = lanes;
    lanes = lanesOver(store);
    await lanes.refresh();
    const second = lanes;
    const both = [0, 1, 2, 3].map((number) => {
      lanes = number % 2 === 0 ? first : second;
      return enter(OPS);
    });
    await clock.runUntil(Promise.all(both));
    expect(entered.map(([, at]) => at)).to.deep.equal([1000, 2000, 3000, 4000]);
  });

  it('start a channel unpaused that is another one now, and no other channel', async () => {
    const store = memoryPaces(clock);
    lanes = lanesOver(store);
    for (const place of [OPS, MAIL]) limit(place, 60_000);
    const waiting = clock.runUntil(enter(OPS, 120_000));
    await lanes.forget(OPS.channel);
    await waiting;
    expect(entered.map(([, at]) => at)).to.deep.equal([0]);
    expect(lanes.pausedMs(MAIL.destination)).to.equal(60_000);
    expect((await store.current(60_000)).map(({ destination }) => destination)).to.deep.equal([
      MAIL.destination,
    ]);
  });

  it('know after a restart who was limited', async () => {
    const store = memoryPaces(clock);
    lanes = lanesOver(store);
    limit(OPS, 3000);
    await clock.advance(0);
    lanes = lanesOver(store);
    await lanes.refresh();
    await clock.runUntil(enter(OPS));
    expect(entered.map(([, at]) => at)).to.deep.equal([3000]);
  });
});
