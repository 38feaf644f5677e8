import { expect } from 'chai';
import { fits, Paces, type PaceStore } from '../../src/deliver/pace.ts';
import { anew } from '../support/anew.ts';
import { createSqliteStore } from '../support/sqlite-store.ts';

const OPS = 'slack:#ops';
const LOG = 'slack:#log';
const THIRD = 'slack:#third';
const MAIL = 'email:a@example.com';

describe('a destination’s pace', () => {
  const store = anew(() => createSqliteStore());
  let ledger: PaceStore;
  let paces: Paces;
  let startedAt: number;

  const fails = (error: unknown): void => expect.fail(String(error));
  const pacesOf = (channelMs = 200, onTrouble = fails, mark = 'aa') => {
    const paceOf = () => ({ addressMs: 1000, channelMs, mark });
    return new Paces({ clock: store.clock, store: ledger, paceOf, onTrouble });
  };
  /** When it got its slot, counted from the start; undefined: it got none. */
  const slot = async (place: string, withinMs = 8000, of = paces) => {
    const isTurn = await of.slot(place, store.clock.monotonic() + withinMs);
    return isTurn ? store.clock.monotonic() - startedAt : undefined;
  };
  const slots = async (place: string, count: number) => {
    const times: (number | undefined)[] = [];
    for (let turn = 0; turn < count; turn += 1) times.push(await store.clock.runUntil(slot(place)));
    return times;
  };
  const limit = (place: string, retryAfterMs: number, of = paces) =>
    of.pausedBy(place, { class: 'rate_limited', retryAfterMs });

  beforeEach(async () => {
    ledger = await store.open();
    paces = pacesOf();
    startedAt = store.clock.monotonic();
  });

  it('is over with the next config of any process with that login where it was refused, and goes on where a remote has asked for it', async () => {
    paces.pausedBy(OPS, { class: 'config', retryAfterMs: 300_000, concerns: 'channel' });
    paces.pausedBy(MAIL, { class: 'rate_limited', retryAfterMs: 300_000, concerns: 'channel' });
    await store.clock.advance(0);
    const other = pacesOf();
    const newer = pacesOf(200, fails, 'bb');
    for (const each of [paces, other, newer]) await each.refresh();
    expect([newer.waitMs(OPS), await store.clock.runUntil(slot(OPS, 250, newer))]).to.deep.equal([0, 0]);
    await newer.endLogins();
    await paces.refresh();
    expect(paces.waitMs(OPS)).to.equal(300_000);
    await other.endLogins();
    for (const each of [paces, other]) {
      await each.refresh();
      expect([OPS, MAIL].map((place) => each.waitMs(place))).to.deep.equal([0, 300_000]);
    }
  });

  it('gives no slot that comes too late to attempt anything, and says so at once', async () => {
    limit(OPS, 1000);
    expect(await slot(OPS, 1050)).to.equal(undefined);
    expect(store.clock.monotonic()).to.equal(startedAt);
    expect(await slot(OPS, 1249)).to.equal(undefined);
    expect(await store.clock.runUntil(slot(OPS, 1250))).to.equal(1000);
    expect([fits(750, 1000), fits(751, 1000)]).to.deep.equal([true, false]);
  });

  it('becomes a little slower where it is kept and limited all the same, but only ends later for what was under way before', async () => {
    limit(OPS, 1000);
    await store.clock.advance(50);
    limit(OPS, 1000);
    expect(await slots(OPS, 1)).to.deep.equal([1050]);
    limit(OPS, 1000);
    expect(await slots(OPS, 2)).to.deep.equal([2050, 3070]);
  });

  it('is kept until nothing has been sent for a minute', async () => {
    limit(OPS, 1000);
    await slots(OPS, 1);
    const isPacedAfter = async (ms: number) => {
      await store.clock.advance(ms);
      await paces.refresh();
      return paces.isPaced(OPS);
    };
    expect([await isPacedAfter(59_000), await isPacedAfter(3000)]).to.deep.equal([true, false]);
  });

  it('becomes its channel’s where a second destination is limited while the first is paused', async () => {
    limit(OPS, 10_000);
    limit(LOG, 4000);
    expect([OPS, 'slack', LOG].map((key) => paces.waitMs(key))).to.deep.equal([10_000, 4000, 4000]);
    expect(await slots(THIRD, 3)).to.deep.equal([4000, 4200, 4400]);
    expect(paces.isPaced(MAIL)).to.equal(false);
  });

  it('is its channel’s at once where the remote says so, and never where destinations share no limit, or the first only refuses this config', () => {
    paces.pausedBy(OPS, { class: 'rate_limited', retryAfterMs: 4000, concerns: 'channel' });
    expect(paces.isPaced(LOG)).to.equal(true);
    for (const [channelMs, failed] of [
      [0, 'rate_limited'],
      [200, 'config'],
    ] as const) {
      paces = pacesOf(channelMs);
      paces.pausedBy(OPS, { class: failed, retryAfterMs: 10_000 });
      limit(LOG, 4000);
      expect(paces.isPaced(THIRD)).to.equal(false);
    }
  });

  it('obeys a pause that another process is asked for while this one waits for its slot', async () => {
    limit(OPS, 1000);
    await store.clock.advance(0);
    const other = pacesOf();
    await other.refresh();
    const all = Promise.all([slot(OPS), slot(OPS), slot(OPS, 1600)]);
    await store.clock.advance(500);
    limit(OPS, 1500, other);
    expect(await store.clock.runUntil(all)).to.deep.equal([3000, 4000, undefined]);
  });

  it('of which the store does not know is obeyed while its write is under way, which is not begun again', async () => {
    let writes = 0;
    const pausePace = () =>
      new Promise<void>((resolve) => ((writes += 1), store.clock.startTimer(5000, resolve)));
    Object.assign(ledger, { pausePace });
    limit(OPS, 10_000);
    await store.clock.advance(2000);
    await paces.refresh();
    await paces.refresh();
    expect([paces.waitMs(OPS), writes]).to.deep.equal([8000, 1]);
  });

  it('of which the store does not know is obeyed where the store knows a shorter one only, and no longer than it lasts', async () => {
    paces = pacesOf(200, () => undefined);
    limit(OPS, 2000);
    await store.clock.advance(0);
    Object.assign(ledger, { pausePace: () => Promise.reject(new Error('no store')) });
    limit(OPS, 9000);
    await store.clock.advance(1000);
    await paces.refresh();
    expect(paces.waitMs(OPS)).to.equal(8000);
    expect(await store.clock.runUntil(slot(OPS, 20_000))).to.equal(9000);
  });

  it('is shown to its end after a restart, and elsewhere, but not the slots that wait behind it', async () => {
    limit(OPS, 600_000);
    limit(MAIL, 8000);
    await store.clock.advance(0);
    const other = pacesOf();
    await other.refresh();
    const pausedOf = (places: readonly string[]) => places.map((place) => other.isPaused(place));
    expect(pausedOf([OPS, MAIL])).to.deep.equal([true, true]);
    await store.clock.advance(8000);
    for (const _ of [1, 2, 3]) void slot(MAIL, 20_000);
    await store.clock.advance(0);
    await other.refresh();
    expect(other.waitMs(MAIL)).to.be.above(0);
    expect(pausedOf([OPS, MAIL])).to.deep.equal([true, false]);
  });

  it('ends where another remote is behind its channel', async () => {
    for (const place of [OPS, MAIL]) limit(place, 60_000);
    await paces.forget('slack');
    expect(await slot(OPS)).to.equal(0);
    expect((await ledger.currentPaces()).map(({ key }) => key)).to.deep.equal([MAIL]);
  });
});
