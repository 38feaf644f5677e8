/** What another config would change for the callbacks of the last days. */
import { expect } from 'chai';
import { routingChanges } from '../../src/app/reload.ts';
import type { CameOfBot } from '../../src/ledger/archive/archive.ts';
import type { Router } from '../../src/route/router.ts';
import { plannedTo } from '../deliver/delivery-record.ts';

type Told = Readonly<Record<string, readonly string[]>>;

/** @param told whom a callback of a BOT and status is told, by `bot status` */
function routeOf(told: Told, everyOther: readonly string[] = []): Router['route'] {
  return ({ bot_id, status }) => ({
    destinations: (told[`${bot_id} ${status}`] ?? everyOther).map(plannedTo),
    perhaps: [],
    later: [],
    explanations: [],
  });
}

describe('what another config would change', () => {
  const changed = (came: CameOfBot[], before: Router['route'], after: Router['route'], isComplete = true) =>
    routingChanges({ cameSince: () => Promise.resolve({ came, isComplete }) }, 0, before, after);

  it('is said of each BOT and status that came, with those who would be told and who no longer', async () => {
    const before = routeOf({ 'a 0': ['x', 'y'], 'a 1': ['x'], 'a 2': ['x'] });
    const came = ([0, 1, 2] as const).map((status) => ({ botId: 'a', status, callbacks: 3 - status }));
    const { changes } = await changed(came, before, routeOf({ 'a 0': ['y', 'z'], 'a 1': ['x'] }));
    expect(changes).to.deep.equal([
      { botId: 'a', status: 'succeeded', callbacks: 3, added: ['z'], removed: ['x'] },
      { botId: 'a', status: 'executing', callbacks: 1, added: [], removed: ['x'] },
    ]);
  });

  it('is of many BOTs the thousand that most came of, and says that there are more, or that it did not see all', async () => {
    const ofBot = (index: number) => ({ botId: `b${index}`, status: 1 as const, callbacks: index + 1 });
    const came = Array.from({ length: 1200 }, (_, index) => ofBot(index));
    const [toNobody, toAll] = [routeOf({}), routeOf({}, ['z'])];
    const { changes, isComplete } = await changed(came, toNobody, toAll);
    expect([changes.length, isComplete]).to.deep.equal([1000, false]);
    expect(changes[0]).to.include({ botId: 'b1199', callbacks: 1200 });
    expect(await changed(came, toAll, toAll)).to.deep.equal({ changes: [], isComplete: true });
    expect((await changed([], toAll, toAll, false)).isComplete).to.equal(false);
  });
});
