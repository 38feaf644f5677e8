/** What another config would change for the callbacks of the last days. */
import { expect } from 'chai';
import { changesOf, routingChanges } from '../../src/app/reload.ts';
import type { StatusCode } from '../../src/callback/callback.ts';
import type { Router } from '../../src/route/router.ts';
import { plannedTo } from '../deliver/delivery-bench.ts';

type Route = Router['route'];

/** @param told whom a callback of a BOT and status is told, by `bot status` */
function routeOf(told: Readonly<Record<string, readonly string[]>>): Route {
  return ({ bot_id, status }) => ({
    destinations: (told[`${bot_id} ${status}`] ?? []).map(plannedTo),
    perhaps: [],
    explanations: [],
  });
}

describe('what another config would change', () => {
  const before = routeOf({ 'a 0': ['x', 'y'], 'a 1': ['x'], 'a 2': ['x'] });
  const after = routeOf({ 'a 0': ['y', 'z'], 'a 1': ['x'] });
  const changed = (status: StatusCode, next = after) =>
    changesOf({ botId: 'a', status, callbacks: 3 }, before, next);

  it('is told of each BOT and status that came, with those who would be told and who no longer', () => {
    expect([0, 2].flatMap((status) => changed(status as StatusCode))).to.deep.equal([
      { botId: 'a', status: 'succeeded', callbacks: 3, added: ['z'], removed: ['x'] },
      { botId: 'a', status: 'executing', callbacks: 3, added: [], removed: ['x'] },
    ]);
  });

  it('is nothing for what is routed alike', () => {
    expect([...changed(1), ...changed(0, before)]).to.deep.equal([]);
  });

  describe('of many BOTs', () => {
    const came = Array.from({ length: 1200 }, (_, index) => ({
      botId: `b${10_000 + index}`,
      status: 1 as const,
      callbacks: index + 1,
    }));
    const toAll: Route = () => ({ ...routeOf({ 'x 1': ['z'] })({ bot_id: 'x', status: 1 }) });

    it('is the thousand that most came of, and says that there are more', async () => {
      const archive = { cameSince: () => Promise.resolve({ came, isComplete: true }) };
      const found = await routingChanges(archive, 0, routeOf({}), toAll);
      expect([found.changes.length, found.isComplete]).to.deep.equal([1000, false]);
      expect(found.changes[0]).to.include({ botId: 'b11199', callbacks: 1200 });
      const none = await routingChanges(archive, 0, toAll, toAll);
      expect(none).to.deep.equal({ changes: [], isComplete: true });
    });

    it('says where not all that came was looked at', async () => {
      const archive = { cameSince: () => Promise.resolve({ came: [], isComplete: false }) };
      expect((await routingChanges(archive, 0, toAll, toAll)).isComplete).to.equal(false);
    });
  });
});
