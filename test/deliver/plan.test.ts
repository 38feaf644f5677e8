import { expect } from 'chai';
import type { Config, RouteConfig } from '../../src/config/config.ts';
import { createPlans, ruleInputs } from '../../src/deliver/plan.ts';
import type { PlanFor } from '../../src/deliver/settings.ts';
import { createRouter } from '../../src/route/router.ts';
import { type Burst, NO_RULES, type RouteRules } from '../../src/signal/rules.ts';
import { callbackWith } from '../support/callbacks.ts';
import { plannedTo, routeWith } from './delivery-record.ts';

const ERROR = 1;
const OPS = plannedTo('slack:#ops');

function route(rules: Partial<RouteRules>, fields: Partial<RouteConfig> = {}): RouteConfig {
  return routeWith('all', { botIds: ['*'], rules: { ...NO_RULES, ...rules }, ...fields });
}

function plansOf(routes: readonly RouteConfig[], burst?: Burst): PlanFor {
  const channels = new Map([['slack', { name: 'slack', type: 'slack', settings: {}, burst }]]);
  const config = { channels, display: { timezone: 'Asia/Tokyo' } } as unknown as Config;
  return createPlans(config, createRouter(routes, undefined));
}

function isPlain(routes: readonly RouteConfig[], burst?: Burst): boolean {
  return plansOf(routes, burst)({ bot_id: 'a', status: ERROR }).asking.isPlain;
}

describe('A plan', () => {
  it('is forgotten where thousands are kept, or tens of megabytes, so that BOTs without end take no memory', () => {
    const many = Array.from({ length: 300 }, (_, index) => plannedTo(`slack:#${'c'.repeat(4000)}${index}`));
    for (const [what, notify, count, padding] of [
      ['BOTs', [OPS], 4000, ''],
      ['long ids', [OPS], 20, 'a'.repeat(1_000_000)],
      ['destinations', many, 20, ''],
    ] as const) {
      const planFor = plansOf([route({}, { notify })]);
      const made = (id: string) => planFor({ bot_id: `${padding}${id}`, status: ERROR });
      const first = made('first');
      expect(made('first') === first, what).to.equal(true);
      for (let number = 0; number < count; number += 1) made(`${number}`);
      expect(made('first') === first, what).to.equal(false);
    }
  });

  it('asks the rules where any route of the BOT has one, whatever the route’s `on`, and only there', () => {
    const rules: readonly Partial<RouteRules>[] = [
      { when: 'code == 1' },
      { afterFailures: 2 },
      { repeat: 'changes' },
      { mute: [{}] },
      { overdueMs: 1000 },
      { expect: { everyMs: 1000, graceMs: 0 } },
      {},
    ];
    const plain = rules.filter((each) => isPlain([route({}), route(each, { on: ['succeeded'] })]));
    expect(plain).to.deep.equal([{}]);
    expect(isPlain([route({}, { on: ['error', 'recovered'] })])).to.equal(false);
    expect(isPlain([route({})], { max: 1, perMs: 1000 })).to.equal(false);
  });

  it('says which of the conditions that routes ask for are not met', () => {
    const all = [1, 1, 2].map((code) => route({ when: `code == ${code}` }));
    const plan = plansOf(all)({ bot_id: 'a', status: ERROR });
    const isMet = (condition: string) => condition === 'code == 1';
    expect(ruleInputs(plan, { callback: callbackWith({}) }, isMet).unmet).to.deep.equal(['code == 2']);
  });

  it('compares an error only where a route tells of changes alone', () => {
    const likeness = (rules: Partial<RouteRules>, status: 0 | 1) => {
      const plan = plansOf([route(rules)])({ bot_id: 'a', status });
      return ruleInputs(plan, { callback: callbackWith({ status, message: 'no disk' }) }, () => true)
        .likeness;
    };
    expect([likeness({}, 1), likeness({ repeat: 'changes' }, 0)]).to.deep.equal(['', '']);
    expect(likeness({ repeat: 'changes' }, 1)).not.to.equal('');
  });
});
