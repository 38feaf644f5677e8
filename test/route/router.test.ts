/** Whom a callback reaches, and the reason that is given for it. */
import { expect } from 'chai';
import { NO_RULES } from '../../src/signal/rules.ts';
import type { Callback } from '../../src/callback/callback.ts';
import type { Destination, RouteConfig } from '../../src/config/config.ts';
import { createRouter, type Router } from '../../src/route/router.ts';

const SUCCEEDED: Callback['status'] = 0;
const ERROR: Callback['status'] = 1;
const EXECUTING: Callback['status'] = 2;

function to(destination: string, options: Record<string, unknown> = {}): Destination {
  const [channel = '', address = ''] = destination.split(/:(.*)/s);
  return { destination, channel, address, options, perJob: 'message' };
}

function route(name: string, fields: Partial<RouteConfig>): RouteConfig {
  const all = ['succeeded', 'error', 'executing'] as const;
  const base = { rules: NO_RULES, groups: [], templateSet: undefined };
  return { name, botIds: [], on: all, notify: [to('slack:#ops')], ...base, ...fields };
}

function reached(router: Router, botId: string, status = ERROR): string[] {
  return router
    .route({ bot_id: botId, status })
    .destinations.map(({ destination, route }) => `${destination} by ${route}`);
}

describe('routing', () => {
  it('reaches everybody of every route that matches, in the order of the config', () => {
    const router = createRouter(
      [
        route('routes[0]', { botIds: ['invoice-*'], notify: [to('slack:#glob')] }),
        route('routes[1]', { botIds: ['other', 'invoice-1'], notify: [to('slack:#list')] }),
        route('routes[2]', { botIds: ['/voice-\\d/i'], notify: [to('email:a@example.com')] }),
        route('routes[3]', { botIds: ['nobody'], notify: [to('slack:#nobody')] }),
      ],
      undefined,
    );
    expect(reached(router, 'invoice-1')).to.deep.equal([
      'slack:#glob by routes[0]',
      'slack:#list by routes[1]',
      'email:a@example.com by routes[2]',
    ]);
    expect(reached(router, 'other')).to.deep.equal(['slack:#list by routes[1]']);
  });

  it('keeps the order of the config whichever kind of pattern matched', () => {
    const router = createRouter(
      [
        route('routes[0]', { botIds: ['*'], notify: [to('slack:#first')] }),
        route('routes[1]', { botIds: ['a'], notify: [to('slack:#second')] }),
        route('routes[2]', { botIds: ['?', 'a'], notify: [to('slack:#third')] }),
      ],
      undefined,
    );
    expect(router.route({ bot_id: 'a', status: ERROR }).destinations.map((each) => each.route)).to.deep.equal(
      ['routes[0]', 'routes[1]', 'routes[2]'],
    );
  });

  it('tells a destination that several routes reach once, with the first route’s options', () => {
    const router = createRouter(
      [
        route('routes[0]', {
          botIds: ['a'],
          notify: [to('slack:#ops', { mention_on_error: '@here' }), to('slack:#ops')],
          templateSet: 'short',
        }),
        route('routes[1]', {
          botIds: ['*'],
          notify: [to('slack:#ops', { mention_on_error: '@channel' }), to('slack:#log')],
          templateSet: 'long',
        }),
      ],
      undefined,
    );
    const { destinations } = router.route({ bot_id: 'a', status: ERROR });
    const told = destinations.map(({ asked, ...each }) => ({
      ...each,
      asked: asked?.map(({ name }) => name),
    }));
    expect(told).to.deep.equal([
      {
        ...to('slack:#ops', { mention_on_error: '@here' }),
        templateSet: 'short',
        route: 'routes[0]',
        asked: ['routes[0]', 'routes[1]'],
      },
      { ...to('slack:#log'), templateSet: 'long', route: 'routes[1]', asked: ['routes[1]'] },
    ]);
  });

  it('keeps apart who is told only of a recovery, or of a result that was missed', () => {
    const expect1h = { ...NO_RULES, expect: { everyMs: 3_600_000, graceMs: 60_000 } };
    const router = createRouter(
      [
        route('routes[0]', { botIds: ['a'], on: ['error', 'recovered'], notify: [to('slack:#ops')] }),
        route('routes[1]', { botIds: ['a'], on: ['error'], notify: [to('slack:#log')], rules: expect1h }),
        route('routes[2]', { botIds: ['a'], on: ['succeeded'], notify: [to('slack:#all')] }),
      ],
      undefined,
    );
    const told = (status: Callback['status']) => {
      const { destinations, perhaps } = router.route({ bot_id: 'a', status });
      return [destinations, perhaps].map((each) => each.map(({ address }) => address));
    };
    expect(told(SUCCEEDED)).to.deep.equal([['#all'], ['#ops', '#log']]);
    expect(told(ERROR)).to.deep.equal([['#ops', '#log'], []]);
    expect(told(EXECUTING)).to.deep.equal([[], []]);
    const { explanations } = router.route({ bot_id: 'a', status: SUCCEEDED });
    const verdicts = explanations.map(({ verdict }) => verdict);
    expect(verdicts).to.deep.equal(['tells a recovery', 'tells a late result', 'tells']);
  });

  it('says of a status that is not in `on` what is told of it nevertheless, and when', () => {
    const expect1h = { everyMs: 3_600_000, graceMs: 60_000 };
    const rules = { ...NO_RULES, expect: expect1h, overdueMs: 60_000 };
    const verdictsOf = (on: readonly ['error'] | readonly ['recovered']) => {
      const of = { botIds: ['a'], on, notify: [to('slack:#ops')], rules };
      const router = createRouter([route('routes[0]', of)], undefined);
      return [SUCCEEDED, ERROR, EXECUTING].map((status) => {
        const [found] = router.explainAll({ bot_id: 'a', status });
        return `${found?.verdict}: ${found?.reaches.join()}`;
      });
    };
    expect(verdictsOf(['error'])).to.deep.equal([
      'tells a late result: slack:#ops',
      'tells: slack:#ops',
      'tells an overdue run: slack:#ops',
    ]);
    expect(verdictsOf(['recovered'])).to.deep.equal([
      'tells a recovery or a late result: slack:#ops',
      'tells a late result: slack:#ops',
      'tells an overdue run: slack:#ops',
    ]);
  });

  it('takes the options of the first route that is told of this status', () => {
    const router = createRouter(
      [
        route('routes[0]', { botIds: ['a'], on: ['succeeded'], templateSet: 'short' }),
        route('routes[1]', { botIds: ['a'], on: ['error'], templateSet: 'long' }),
      ],
      undefined,
    );
    const templateSets = (status: Callback['status']) =>
      router.route({ bot_id: 'a', status }).destinations.map((each) => each.templateSet);
    expect(templateSets(SUCCEEDED)).to.deep.equal(['short']);
    expect(templateSets(ERROR)).to.deep.equal(['long']);
    expect(templateSets(EXECUTING)).to.deep.equal([]);
  });

  it('falls to the default route only for a BOT that no route names', () => {
    const fallback = route('default_route', { on: ['error'], notify: [to('slack:#default')] });
    const router = createRouter([route('routes[0]', { botIds: ['a'], on: ['succeeded'] })], fallback);
    expect(reached(router, 'unknown')).to.deep.equal(['slack:#default by default_route']);
    expect(reached(router, 'unknown', SUCCEEDED)).to.deep.equal([]);
    expect(reached(router, 'a', ERROR), 'on filters after matching').to.deep.equal([]);
  });

  it('reaches nobody, not even by the default route, where the route that names the BOT tells nobody', () => {
    const fallback = route('default_route', { notify: [to('slack:#default')] });
    const nobody = route('routes[0]', { botIds: ['playground'], on: ['error'], notify: [] });
    const all = route('routes[1]', { botIds: ['play*'], on: ['succeeded'], notify: [to('slack:#log')] });
    expect(reached(createRouter([nobody], fallback), 'playground')).to.deep.equal([]);
    expect(reached(createRouter([nobody], fallback), 'playground', SUCCEEDED)).to.deep.equal([]);
    expect(reached(createRouter([nobody], fallback), 'other')).to.deep.equal([
      'slack:#default by default_route',
    ]);
    expect(reached(createRouter([nobody, all], fallback), 'playground', SUCCEEDED)).to.deep.equal([
      'slack:#log by routes[1]',
    ]);
  });

  it('reaches nobody where nothing matches and there is no default route', () => {
    const router = createRouter([], undefined);
    expect(router.route({ bot_id: 'a', status: ERROR })).to.deep.equal({
      destinations: [],
      perhaps: [],
      explanations: [],
    });
  });

  it('is not fooled by a BOT named after a property of objects', () => {
    const router = createRouter([route('routes[0]', { botIds: ['__proto__'] })], undefined);
    expect(reached(router, '__proto__')).to.have.length(1);
    expect(reached(router, 'constructor')).to.deep.equal([]);
  });

  it('looks exact names up: of 10,000 routes only the one that matches is touched', () => {
    const touched = new Set<string>();
    const routes = Array.from({ length: 10_000 }, (_, number) =>
      route(`routes[${number}]`, { botIds: [`bot-${number}`] }),
    );
    const counted = routes.map(
      (each) =>
        new Proxy(each, {
          get(target, key, receiver) {
            if (key === 'on') touched.add(target.name);
            return Reflect.get(target, key, receiver) as unknown;
          },
        }),
    );
    const router = createRouter(counted, undefined);
    touched.clear();
    expect(reached(router, 'bot-7777')).to.deep.equal(['slack:#ops by routes[7777]']);
    expect(reached(router, 'bot-nobody')).to.deep.equal([]);
    expect([...touched]).to.deep.equal(['routes[7777]']);
  });
});

describe('the explanation of routing', () => {
  const router = createRouter(
    [
      route('routes[0]', { botIds: ['invoice-*', 'x'], notify: [to('slack:#ops'), to('slack:#log')] }),
      route('routes[1]', { botIds: ['/^in/'], notify: [to('slack:#ops'), to('email:a@example.com')] }),
      route('routes[2]', { botIds: ['invoice-1'], on: ['succeeded', 'executing'] }),
      route('routes[3]', { botIds: ['nightly-*', 'y'] }),
    ],
    route('default_route', { notify: [to('slack:#default')] }),
  );

  it('says of every route whether it tells, why not, and whom it alone reaches', () => {
    expect(router.explainAll({ bot_id: 'invoice-1', status: ERROR })).to.deep.equal([
      {
        route: 'routes[0]',
        reaches: ['slack:#ops', 'slack:#log'],
        verdict: 'tells',
        pattern: 'invoice-*',
      },
      {
        route: 'routes[1]',
        reaches: ['email:a@example.com'],
        verdict: 'tells',
        pattern: '/^in/',
      },
      {
        route: 'routes[2]',
        reaches: [],
        verdict: 'not of this status',
        pattern: 'invoice-1',
        on: ['succeeded', 'executing'],
      },
      {
        route: 'routes[3]',
        reaches: [],
        verdict: 'another BOT',
        pattern: 'nightly-*, y',
      },
      {
        route: 'default_route',
        reaches: [],
        verdict: 'not needed',
      },
    ]);
  });

  it('says of a route that reaches nobody whether that is meant', () => {
    const [meant, told] = createRouter(
      [
        route('routes[0]', { botIds: ['a'], notify: [] }),
        route('routes[1]', { botIds: ['a'], notify: [to('slack:#ops')] }),
        route('routes[2]', { botIds: ['*'], notify: [to('slack:#ops')] }),
      ],
      undefined,
    )
      .explainAll({ bot_id: 'a', status: ERROR })
      .filter(({ reaches }) => reaches.length === 0);
    expect([meant?.verdict, told?.verdict]).to.deep.equal(['tells nobody', 'told already']);
  });

  it('says why the default route applies', () => {
    const explained = router.explainAll({ bot_id: 'unknown', status: ERROR });
    expect(explained.map(({ verdict }) => verdict)).to.deep.equal([
      ...Array<string>(4).fill('another BOT'),
      'tells',
    ]);
    expect(explained.at(-1)).to.deep.equal({
      route: 'default_route',
      reaches: ['slack:#default'],
      verdict: 'tells',
      pattern: undefined,
    });
  });

  it('says that the default route is not told of this status', () => {
    const quiet = createRouter([], route('default_route', { on: ['error'] }));
    expect(quiet.explainAll({ bot_id: 'a', status: SUCCEEDED })).to.deep.equal([
      {
        route: 'default_route',
        reaches: [],
        verdict: 'not of this status',
        pattern: undefined,
        on: ['error'],
      },
    ]);
  });
});
