import { expect } from 'chai';
import { incidentChore } from '../../src/app/ledger-chores.ts';
import type { RouteConfig } from '../../src/config/config.ts';
import { createRouter } from '../../src/route/router.ts';
import { type Expectation, NO_RULES } from '../../src/signal/rules.ts';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { faultSaid } from '../../src/text/fault.ts';
import { plannedTo, routeWith } from '../deliver/delivery-record.ts';
import { PipelineWorld } from '../deliver/pipeline-world.ts';
import { anew } from '../support/anew.ts';

/** By the BOT of a route: whether its incident goes on. */
const BOTS: readonly (readonly [bot: string, goesOn: boolean, fields: Partial<RouteConfig>])[] = [
  ['told', true, {}],
  ['told of successes', false, { on: ['succeeded'] }],
  ['told of recoveries', false, { on: ['succeeded', 'recovered'] }],
  ['told when overdue', true, { on: [], rules: { ...NO_RULES, overdueMs: 1 } }],
  ['expected', true, { on: [], rules: { ...NO_RULES, expect: {} as Expectation } }],
  ['told to nobody', false, { notify: [] }],
];

/** Open incidents, their routes, and what a chore over them does: which BOTs it looks for in the routes, and what it ends. */
function open(
  subjects: readonly { readonly kind: string; readonly subject: string }[],
  routes: RouteConfig[],
) {
  const [asked, ended]: [string[], string[]] = [[], []];
  const router = createRouter(routes, undefined);
  const routesOf = (bot: string) => {
    asked.push(bot);
    return router.routesOf(bot);
  };
  const ledger = {
    archive: { openIncidents: () => Promise.resolve(subjects.map((each, id) => ({ id, ...each }))) },
    maintainIncidents({ unrouted }: { readonly unrouted: readonly number[] }) {
      ended.push(...unrouted.map((id) => subjects[id]?.subject ?? ''));
      return Promise.resolve();
    },
  };
  const destinations = new Map([['slack:#ops', plannedTo('slack:#ops')]]);
  const config = { store: { keepMs: 1 }, channels: new Map() };
  const settings = { current: { config, destinations, router: { ...router, routesOf } } };
  const parts = { ledger, settings, channelTypes: new Map(), refused: () => undefined };
  const chore = incidentChore(parts as unknown as Parameters<typeof incidentChore>[0]);
  return { asked, ended, settings, chore };
}

const ofBot = (subject: string) => ({ kind: 'bot', subject });

describe('the incidents of which today’s config tells nobody', () => {
  it('are over: of BOTs whose troubles no route tells, and of destinations that no route names', async () => {
    const subjects = [
      ...[...BOTS.map(([bot]) => bot), 'without a route'].map(ofBot),
      ...['slack:#ops', 'slack:#gone'].map((subject) => ({ kind: 'destination', subject })),
      { kind: 'botbell', subject: 'reload' },
    ];
    const { chore, ended } = open(
      subjects,
      BOTS.map(([bot, , fields]) => routeWith(bot, { botIds: [bot], on: ['error'], ...fields })),
    );
    await chore.work();
    const over = BOTS.flatMap(([bot, goesOn]) => (goesOn ? [] : [bot]));
    expect(ended).to.deep.equal([...over, 'without a route', 'slack:#gone']);
  });

  it('are looked for once by a config, some at a time: thousands of BOTs are compared with each of its patterns', async () => {
    const bots = Array.from({ length: 600 }, (_, index) => `bot ${index}`);
    const { chore, asked, ended, settings } = open(bots.map(ofBot), [
      routeWith('bots', { botIds: ['bot *'] }),
    ]);
    await chore.work();
    expect(asked.length).to.be.below(bots.length);
    for (let turn = 0; turn < 3; turn += 1) await chore.work();
    expect(asked).to.deep.equal(bots);
    settings.current = { ...settings.current, router: createRouter([], undefined) };
    for (let turn = 0; turn < 2; turn += 1) await chore.work();
    expect(ended[0]).to.equal('bot 0');
  });
});

describe('a refused config', () => {
  const CONFIG = `
channels: { slack: { type: outbox, as: slack } }
delivery: { alerts: [operators] }
groups: { operators: [{ slack: '#alerts' }] }
default_route: { notify: [{ slack: '#ops' }] }
`;
  const world = anew(() => PipelineWorld.begin(CONFIG, Date.parse('2026-11-20T12:00:00Z')));

  it('is told a minute after it was refused, also where the store could not be written then', async () => {
    const { pipeline, ledger } = world.first;
    const { recordOwnSign } = ledger;
    Object.assign(ledger, { recordOwnSign: () => Promise.reject(new LedgerUnavailable('is full')) });
    const place = { file: 'botbell.yaml', line: 1, column: 1 };
    pipeline.configRead([{ place, fault: faultSaid('is wrong'), severity: 'error' }]);
    await world.clock.advance(20_000);
    Object.assign(ledger, { recordOwnSign });
    await world.clock.advance(100_000);
    expect(world.told).to.deep.equal(['slack:#alerts']);
  });
});
