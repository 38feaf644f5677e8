import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import type { Config, RouteConfig } from '../../src/config/config.ts';
import type { Destination } from '../../src/config/destination.ts';
import {
  createRouter,
  destinationsOf,
  type PlannedTarget,
  ownNoticeTargets,
} from '../../src/route/router.ts';
import { NO_RULES } from '../../src/signal/rules.ts';
import { plannedTo as to, routeWith as route } from '../deliver/delivery-record.ts';

const SUCCEEDED: Callback['status'] = 0;
const ERROR: Callback['status'] = 1;
const EXECUTING: Callback['status'] = 2;

const WATCHED = { ...NO_RULES, expect: { everyMs: 3_600_000, graceMs: 60_000 }, overdueMs: 60_000 };

/** Routes named by their places. */
function routes(...all: Partial<RouteConfig>[]): RouteConfig[] {
  return all.map((fields, index) => route(`routes[${index}]`, fields));
}

describe('a callback', () => {
  /** By BOT: whom an error reaches. */
  type Reached = Readonly<Record<string, readonly string[]>>;
  const toDefault = route('default_route', { on: ['error'], notify: [to('slack:#default')] });
  const patterns = routes(
    { botIds: ['invoice-*'], notify: [to('slack:#glob')] },
    { botIds: ['other', 'invoice-1'], notify: [to('slack:#list')] },
    { botIds: ['/voice-\\d/i'], notify: [to('email:a@example.com')] },
    { botIds: ['nobody'], notify: [to('slack:#nobody')] },
    { botIds: ['invoice-1', '*1'], notify: [to('slack:#both')] },
  );
  const [fallen, logged] = [['slack:#default'], ['slack:#log']];
  const inOrder = ['slack:#glob', 'slack:#list', 'email:a@example.com', 'slack:#both'];
  const succeeded = routes({ botIds: ['a'], on: ['succeeded'] });
  const silent = routes(
    { botIds: ['playground'], on: ['succeeded'], notify: [] },
    { botIds: ['silent'], notify: [] },
    { botIds: ['play*'], notify: [to('slack:#log')] },
  );
  const named = routes({ botIds: ['__proto__'] });
  const rows: [what: string, routes: RouteConfig[], reached: Reached, fallback?: RouteConfig][] = [
    ['all whose pattern matches, in their order', patterns, { 'invoice-1': inOrder, other: ['slack:#list'] }],
    ['the default route where no other names its BOT', succeeded, { x: fallen, a: [] }, toDefault],
    ['nobody where its own route tells nobody', silent, { playground: logged, silent: [] }, toDefault],
    ['nobody where nothing matches and there is no default route', [], { a: [] }],
    ['its own where a BOT is named as a property', named, { ['__proto__']: ['slack:#ops'], constructor: [] }],
  ];
  for (const [what, all, reached, fallback] of rows)
    it(`reaches ${what}`, () => {
      const router = createRouter(all, fallback);
      for (const [bot_id, expected] of Object.entries(reached)) {
        const { destinations } = router.route({ bot_id, status: ERROR });
        expect(
          destinations.map(({ destination }) => destination),
          bot_id,
        ).to.deep.equal(expected);
      }
    });

  it('is told once where several routes reach a destination, with the options of the first that is told of its status, but per_job of the first', () => {
    const atHere = { ...to('slack:#ops'), options: { mention_on_error: '@here' } };
    const others = [{ ...to('slack:#ops'), options: { mention_on_error: '@channel' } }, to('slack:#log')];
    const first = { ...to('slack:#ops'), perJob: 'thread' } as const;
    const all = routes(
      { botIds: ['a'], on: ['succeeded'], templateSet: 'none', notify: [first] },
      { botIds: ['a'], notify: [atHere, to('slack:#ops')], templateSet: 'short' },
      { botIds: ['*'], notify: others, templateSet: 'long' },
    );
    const { destinations } = createRouter(all, undefined).route({ bot_id: 'a', status: ERROR });
    const told = destinations.map(({ asked, ...each }) => [asked?.map(({ name }) => name), each]);
    const ops = { ...atHere, perJob: 'thread', templateSet: 'short', route: 'routes[1]' };
    expect(told).to.deep.equal([
      [['routes[1]', 'routes[2]'], ops],
      [['routes[2]'], { ...to('slack:#log'), templateSet: 'long', route: 'routes[2]' }],
    ]);
  });

  it('keeps apart who is told only of a recovery, or of a result that was missed', () => {
    const router = createRouter(
      routes(
        { botIds: ['a'], on: ['error', 'recovered'] },
        { botIds: ['a'], on: ['error'], notify: [to('slack:#log')], rules: WATCHED },
        { botIds: ['a'], on: ['succeeded'], notify: [to('slack:#all')] },
        { botIds: ['a'], on: ['recovered'], notify: [to('slack:#all')] },
      ),
      undefined,
    );
    const told = (status: Callback['status']) => {
      const { destinations, perhaps } = router.route({ bot_id: 'a', status });
      return [destinations, perhaps].map((each) => each.map(({ address }) => address));
    };
    expect(told(SUCCEEDED)).to.deep.equal([['#all'], ['#ops', '#log']]);
    expect([told(ERROR), told(EXECUTING)]).to.deep.equal([
      [['#ops', '#log'], []],
      [[], []],
    ]);
  });
});

describe('what else the config names', () => {
  const step = (...notify: Destination[]) => ({ afterMs: 60_000, unlessDelivered: false, notify });
  const steps = [step(to('slack:#later')), step(to('email:boss@example.com'), to('slack:#later'))];
  const all = routes(
    { botIds: ['a'], notify: [to('slack:#ops')], templateSet: 'short', steps, rules: WATCHED },
    { botIds: ['*'], notify: [to('slack:#log'), to('slack:#ops')], steps: [step(to('slack:#later'))] },
  );
  const fallback = route('default_route', { notify: [to('slack:#default')] });
  const router = createRouter(all, fallback);
  const named = (told: readonly PlannedTarget[]) =>
    told.map(({ destination, templateSet, route, asked }) => {
      const names = asked?.map(({ name }) => name).join();
      return [destination, templateSet ?? '-', route ?? '-', names ?? '-'].join(' ');
    });

  it('is told later: whom `then` of a BOT’s routes names, each once, also of a success, and of no start', () => {
    const later = [
      'slack:#later short routes[0] routes[0],routes[1]',
      'email:boss@example.com short routes[0] routes[0]',
    ];
    expect(named(router.laterOf('a'))).to.deep.equal(later);
    expect(named(router.laterOf('b'))).to.deep.equal(['slack:#later - routes[1] routes[1]']);
    const planned = [SUCCEEDED, ERROR, EXECUTING].map((status) =>
      named(router.route({ bot_id: 'a', status }).later),
    );
    expect(planned).to.deep.equal([later, later, []]);
  });

  it('watches a BOT: whom those of its routes tell that have the rule', () => {
    const watching = router.watchersOf('a', ({ rules }) => rules.overdueMs !== undefined);
    expect(named(watching)).to.deep.equal(['slack:#ops short routes[0] routes[0]']);
    expect(router.routesOf('a').map(({ name }) => name)).to.deep.equal(['routes[0]', 'routes[1]']);
    expect(createRouter([], fallback).routesOf('a')).to.deep.equal([fallback]);
  });

  it('is a destination by the first that names it: routes, their `then`, alerts, digests, reports, the budget', () => {
    const config = {
      routes: all,
      defaultRoute: fallback,
      delivery: { alerts: [to('slack:#ops'), to('slack:#alerts')] },
      digests: [{ notify: [to('slack:#digest')] }],
      reports: [{ notify: [to('slack:#report')] }],
    } as unknown as Config;
    const budget = { notify: [to('slack:#budget')] } as unknown as NonNullable<Config['budget']>;
    expect(named([...destinationsOf({ ...config, budget }).values()])).to.deep.equal([
      'slack:#ops short - -',
      'slack:#later short - -',
      'email:boss@example.com short - -',
      'slack:#log - - -',
      'slack:#default - - -',
      'slack:#alerts - - -',
      'slack:#digest - - -',
      'slack:#report - - -',
      'slack:#budget - - -',
    ]);
    expect(named(ownNoticeTargets(config)).at(-1)).to.equal('slack:#report - - -');
  });
});

describe('the explanation of routing', () => {
  const others = ['succeeded', 'executing'] as const;
  const router = createRouter(
    routes(
      { botIds: ['invoice-*', 'x'], notify: [to('slack:#ops'), to('slack:#log')] },
      { botIds: ['/^in/'], notify: [to('slack:#ops'), to('email:a@example.com')] },
      { botIds: ['invoice-1'], on: others },
      { botIds: ['nightly-*', 'y'] },
      { botIds: ['invoice-1'], notify: [] },
      { botIds: ['*1', 'invoice-*'] },
    ),
    route('default_route', { on: ['error'], notify: [to('slack:#default')] }),
  );

  it('says of every route whether it tells, why not, and whom it alone reaches', () => {
    expect(router.explainAll({ bot_id: 'invoice-1', status: ERROR })).to.deep.equal([
      { route: 'routes[0]', reaches: ['slack:#ops', 'slack:#log'], verdict: 'tells', pattern: 'invoice-*' },
      { route: 'routes[1]', reaches: ['email:a@example.com'], verdict: 'tells', pattern: '/^in/' },
      { route: 'routes[2]', reaches: [], verdict: 'not of this status', pattern: 'invoice-1', on: others },
      { route: 'routes[3]', reaches: [], verdict: 'another BOT', pattern: 'nightly-*, y' },
      { route: 'routes[4]', reaches: [], verdict: 'tells nobody', pattern: 'invoice-1' },
      { route: 'routes[5]', reaches: [], verdict: 'told already', pattern: '*1' },
      { route: 'default_route', reaches: [], verdict: 'not needed' },
    ]);
  });

  it('says why the default route applies, and that it is not told of this status', () => {
    const ofDefault = (status: Callback['status']) => router.explainAll({ bot_id: 'unknown', status }).at(-1);
    const found = { route: 'default_route', pattern: undefined };
    expect(ofDefault(ERROR)).to.deep.equal({ ...found, reaches: ['slack:#default'], verdict: 'tells' });
    const notTold = { ...found, reaches: [], verdict: 'not of this status', on: ['error'] };
    expect(ofDefault(SUCCEEDED)).to.deep.equal(notTold);
  });

  it('says of a status that is not in `on` what is told of it nevertheless, and when', () => {
    const verdictsOf = (on: readonly ['error'] | readonly ['recovered'], rules: RouteConfig['rules']) => {
      const only = createRouter(routes({ botIds: ['a'], on, rules }), undefined);
      return [SUCCEEDED, ERROR, EXECUTING].map((status) => {
        const [found] = only.explainAll({ bot_id: 'a', status });
        return `${found?.verdict}: ${found?.reaches.join()}`;
      });
    };
    const [late, overdue] = ['tells a late result: slack:#ops', 'tells an overdue run: slack:#ops'];
    const [recovery, none] = ['tells a recovery: slack:#ops', 'not of this status: '];
    const either = 'tells a recovery or a late result: slack:#ops';
    expect(verdictsOf(['error'], WATCHED)).to.deep.equal([late, 'tells: slack:#ops', overdue]);
    expect(verdictsOf(['recovered'], WATCHED)).to.deep.equal([either, late, overdue]);
    expect(verdictsOf(['recovered'], NO_RULES)).to.deep.equal([recovery, none, none]);
  });
});
