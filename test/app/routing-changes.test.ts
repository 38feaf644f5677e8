/** What another config would change for the callbacks of the last days. */
import { expect } from 'chai';
import { changesOf, firstDay, routingChanges } from '../../src/app/routing-changes.ts';
import type { Settings } from '../../src/deliver/settings.ts';
import type { ArchivedBot, Counts } from '../../src/ledger/archive/archive.ts';

type Route = Settings['route'];

/** @param told whom a callback of a BOT and status is told, by `bot status` */
function routeOf(told: Readonly<Record<string, readonly string[]>>): Route {
  return ({ bot_id, status }) => ({
    destinations: (told[`${bot_id} ${status}`] ?? []).map((key) => ({
      destination: { key, channel: 'slack', address: key, options: {}, perJob: 'message' },
      templateSet: undefined,
    })),
    explanations: [],
  });
}

const NOTHING: Counts = { succeeded: 0, failed: 0, started: 0, retries: 0, elapsedSeconds: 0 };

const bot = (botId: string, counts: Partial<Counts>) =>
  ({ botId, counts: { ...NOTHING, ...counts } }) as ArchivedBot;

describe('what another config would change', () => {
  const before = routeOf({ 'a 0': ['x', 'y'], 'a 1': ['x'], 'a 2': ['x'] });
  const after = routeOf({ 'a 0': ['y', 'z'], 'a 1': ['x'] });

  it('is told of each BOT and status that came, with those who would be told and who no longer', () => {
    expect(changesOf(bot('a', { succeeded: 3, failed: 2, started: 1 }), before, after)).to.deep.equal([
      { botId: 'a', status: 'succeeded', callbacks: 3, added: ['z'], removed: ['x'] },
      { botId: 'a', status: 'executing', callbacks: 1, added: [], removed: ['x'] },
    ]);
  });

  it('is nothing for what did not come, and for what is routed alike', () => {
    expect(changesOf(bot('a', { failed: 9 }), before, after)).to.deep.equal([]);
    expect(changesOf(bot('a', { succeeded: 9, started: 9 }), before, before)).to.deep.equal([]);
  });

  describe('of many BOTs', () => {
    const bots = Array.from({ length: 1200 }, (_, index) => bot(`b${10_000 + index}`, { failed: index + 1 }));
    const archive = {
      bots: (_since: string, after = '') =>
        Promise.resolve(bots.filter(({ botId }) => botId > after).slice(0, 50)),
    };
    const toAll: Route = () => ({ ...routeOf({ 'x 1': ['z'] })({ bot_id: 'x', status: 1 }) });

    it('is the thousand that most came of, and says that there are more', async () => {
      const clock = { monotonic: () => 0 };
      const found = await routingChanges({ archive, clock }, '2026-01-01', routeOf({}), toAll);
      expect([found.changes.length, found.isComplete]).to.deep.equal([1000, false]);
      expect(found.changes[0]).to.include({ botId: 'b11199', callbacks: 1200 });
      const none = await routingChanges({ archive, clock }, '2026-01-01', toAll, toAll);
      expect(none).to.deep.equal({ changes: [], isComplete: true });
    });

    it('is what was found in three seconds, where there are too many to look at', async () => {
      let now = 0;
      const clock = { monotonic: () => (now += 1000) };
      const found = await routingChanges({ archive, clock }, '2026-01-01', routeOf({}), toAll);
      expect([found.changes.length, found.isComplete]).to.deep.equal([150, false]);
    });
  });

  it('begins six days before today, by the time zone of the display', () => {
    const evening = Date.parse('2026-03-10T20:00:00Z');
    expect(firstDay(evening, 'UTC')).to.equal('2026-03-04');
    expect(firstDay(evening, 'Asia/Tokyo')).to.equal('2026-03-05');
  });
});
