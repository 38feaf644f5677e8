/** What the ledger knows routes by, so that what is held, told and awaited keeps its meaning while the config is edited. */
import { expect } from 'chai';
import fc from 'fast-check';
import { routeNames } from '../../src/config/read/sections.ts';

describe('The name of a route', () => {
  it('is the one given, else its patterns, with its number among equal ones', () => {
    const names = routeNames([
      { bot_id: 'a' },
      { bot_id: ['b', 'nightly-*'] },
      { bot_id: 'a' },
      { bot_id: 'x', name: 'a (3)' },
      { bot_id: 'a' },
      { bot_id: 'default_route' },
    ]);
    expect(names).to.deep.equal(['a', 'b, nightly-*', 'a (2)', 'a (3)', 'a (4)', 'default_route (2)']);
  });

  it('is one short line, and another one for other patterns, however many there are', () => {
    const many = Array.from({ length: 300 }, (_, index) => `bot-${index}`);
    const [all = '', less = ''] = routeNames([{ bot_id: many }, { bot_id: many.slice(0, -1) }]);
    expect(all).to.match(/^bot-0, bot-1, .{10,60}… [0-9a-f]{8}$/);
    expect(less).not.to.equal(all);
    expect(routeNames([{ bot_id: 'a\n\u001b[31mb' }])).to.deep.equal(['a b']);
  });

  it('is that of no other route, and stays when routes with other patterns come, go or move', () => {
    const bot_id = fc.constantFrom('a', 'b', 'a (2)', 'default_route');
    const named = { bot_id, name: fc.constantFrom('x', 'a', 'b (2)') };
    const route = fc.record(named, { requiredKeys: ['bot_id'] });
    const routes = fc.uniqueArray(route, { selector: (each) => each.name ?? each, maxLength: 8 });
    fc.assert(
      fc.property(routes, (sections) => {
        const names = routeNames(sections);
        expect(new Set(names).size).to.equal(names.length);
        const moved = [{ bot_id: 'other' }, ...sections];
        expect(routeNames(moved).slice(1)).to.deep.equal(names);
      }),
    );
  });
});
