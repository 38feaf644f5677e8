/** Which incidents end with the config that told of them. */
import { expect } from 'chai';
import { incidentChore } from '../../src/app/ledger-chores.ts';
import type { RouteConfig } from '../../src/config/config.ts';
import { createRouter } from '../../src/route/router.ts';
import { type Expectation, NO_RULES } from '../../src/signal/rules.ts';
import { plannedTo } from '../deliver/delivery-bench.ts';

function route(id: string, fields: Partial<RouteConfig>): RouteConfig {
  const notify = [plannedTo('slack:#ops')];
  const none = { rules: NO_RULES, groups: [], templateSet: undefined };
  return { name: id, botIds: [id], on: ['error'], notify, ...none, ...fields };
}

/** By the BOT of a route: whether its incident goes on. */
const BOTS: readonly (readonly [bot: string, goesOn: boolean, fields: Partial<RouteConfig>])[] = [
  ['told', true, {}],
  ['told of successes', false, { on: ['succeeded'] }],
  ['told of recoveries', false, { on: ['succeeded', 'recovered'] }],
  ['told when overdue', true, { on: [], rules: { ...NO_RULES, overdueMs: 1 } }],
  ['expected', true, { on: [], rules: { ...NO_RULES, expect: {} as Expectation } }],
  ['told to nobody', false, { notify: [] }],
];

describe('the incidents of which today’s config tells nobody', () => {
  it('are over: of BOTs whose troubles no route tells, and of destinations that no route names', async () => {
    const subjects = [
      ...[...BOTS.map(([bot]) => bot), 'without a route'].map((subject) => ({ kind: 'bot', subject })),
      ...['slack:#ops', 'slack:#gone'].map((subject) => ({ kind: 'destination', subject })),
      { kind: 'botbell', subject: 'reload' },
    ];
    const ended: string[] = [];
    const ledger = {
      openTroubles: () => Promise.resolve(subjects.map((each, id) => ({ id, ...each }))),
      careForIncidents({ unrouted }: { readonly unrouted: readonly number[] }) {
        ended.push(...unrouted.map((id) => subjects[id]?.subject ?? ''));
        return Promise.resolve();
      },
    };
    const routes = BOTS.map(([bot, , fields]) => route(bot, fields));
    const destinations = new Map([['slack:#ops', plannedTo('slack:#ops')]]);
    const config = { store: { keepMs: 1 }, channels: new Map() };
    const current = { config, destinations, router: createRouter(routes, undefined) };
    const parts = { ledger, settings: { current }, channelTypes: new Map() };
    await incidentChore(parts as unknown as Parameters<typeof incidentChore>[0]).work();
    const over = BOTS.flatMap(([bot, goesOn]) => (goesOn ? [] : [bot]));
    expect(ended).to.deep.equal([...over, 'without a route', 'slack:#gone']);
  });
});
