/** Whatever comes in whatever order, over restarts, replicas, snoozes and other configs: what is held is told in the end. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { SnoozeRequest } from '../../src/ledger/timers/timers.ts';
import { PipelineWorld } from './pipeline-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const EVENING = Date.parse('2026-11-20T19:00:00Z');
const ASKED = { actor: { via: 'page', user: 'admin', from: '127.0.0.1' }, because: '' } as const;

const configWith = (rules: string, burst = '') => `
channels:
  slack: { type: outbox, as: slack${burst} }
  email: { type: outbox, as: email }
routes:
  - bot_id: a
    notify: [{ slack: '#ops' }, { email: ops@example.com }]
${rules}
  - bot_id: a
    on: [error]
    after_failures: 2
    notify: [{ slack: '#ops' }, { slack: '#log' }]
default_route:
  notify: [{ slack: '#ops' }]
`;

/** The first is the one that a run begins with, the last the one that it ends with: nobody holds anything. */
const CONFIGS = [
  configWith(
    "    repeat: 1h\n    overdue: 30m\n    expect: { every: 6h }\n    mute: [{ from: '22:00', to: '07:00' }]",
    ', burst: { max: 2, per: 10m }',
  ),
  configWith(
    '    on: [error, recovered]\n    when: code != 7\n    mute: [{ days: [sat, sun], except: [error] }]',
    ', burst: { max: 1, per: 1h }',
  ),
  configWith('    on: [error]\n    repeat: changes'),
  configWith(''),
] as const;

/** What lets a message go for good. */
const FOR_GOOD = new Set<unknown>(['on', 'when', 'after_failures', 'repeat', 'superseded']);

type Act = (world: PipelineWorld) => Promise<void>;

/** As a counterexample says it, and what it does. */
type Step = readonly [says: string, act: Act];

const post = fc
  .record({
    bot_id: fc.constantFrom('a', 'b'),
    status: fc.constantFrom(0 as const, 1 as const, 2 as const),
    job: fc.nat(4),
    code: fc.constantFrom(1, 7),
  })
  .map(({ job, ...rest }): Step => {
    const start_time = new Date(EVENING + job * HOUR).toISOString();
    const fields = { ...rest, job_id: `job-${rest.bot_id}-${job}`, start_time };
    return [
      JSON.stringify(fields),
      async (world) => {
        const process = world.processes[job % world.processes.length];
        expect((await world.post(fields, process)).status).to.equal(200);
      },
    ];
  });

const passes = [1, 20, 90, 400].map((minutes): Step => [
  `pass ${minutes}`,
  (world) => world.pass(minutes * MINUTE),
]);

const SNOOZED: readonly Partial<SnoozeRequest>[] = [
  { botId: 'a' },
  { destination: 'slack:#ops' },
  { botId: 'a', destination: 'slack:#log' },
  { botId: 'a', isUntilSuccess: true },
];

const snoozes = SNOOZED.map((asked): Step => [
  `snooze ${JSON.stringify(asked)}`,
  async ({ first, clock }) => {
    const until = clock.now() + (asked.isUntilSuccess === true ? 7 * DAY : 2 * HOUR);
    await first.ledger.actions.snooze({ ...ASKED, until, isUntilSuccess: false, ...asked });
  },
]);

const endSnoozes: Act = async ({ first }) => {
  const { actions, archive } = first.ledger;
  for (const { id } of await archive.snoozes()) await actions.endSnooze(id);
};

const restart: Act = async (world) => {
  await world.stop();
  if (world.processes.length === 0) await world.start();
};

const otherReplicas: Act = async (world) => {
  if (world.processes.length < 2) await world.start();
  else await world.stop();
};

const reloads = CONFIGS.map((config, index): Step => [`reload ${index}`, (world) => world.reload(config)]);

const step = fc.oneof(
  { weight: 10, arbitrary: post },
  { weight: 5, arbitrary: fc.constantFrom(...passes) },
  fc.constantFrom(...snoozes),
  fc.constantFrom(...reloads),
  fc.constantFrom<Step>(['end snoozes', endSnoozes]),
  fc.constantFrom<Step>(['restart', restart]),
  fc.constantFrom<Step>(['start or stop another', otherReplicas]),
);

/** Told, or let go by a rule for good. */
function isAccountedFor({ state, reason, held_until }: Readonly<Record<string, unknown>>): boolean {
  return state === 'delivered' || (state === 'held' && held_until === null && FOR_GOOD.has(reason));
}

describe('what rules hold', () => {
  it('is told in the end, or was let go for good', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const world = await PipelineWorld.begin(CONFIGS[0], EVENING);
        try {
          for (const [, act] of steps) await act(world);
          await world.reload(CONFIGS[3]);
          await endSnoozes(world);
          await world.passBy(3 * HOUR, HOUR);
          const rows = await world.store.rows('deliveries');
          const left = rows.filter((row) => !isAccountedFor(row));
          expect(left).to.deep.equal([]);
          expect(world.troubles).to.deep.equal([]);
          // A message is told by itself or in one summary, and each of these came once.
          const own = rows.filter(({ state, summary_id }) => state === 'delivered' && summary_id === null);
          expect(world.arrived).to.have.length(own.length);
        } finally {
          await world.close();
        }
      }),
      { numRuns: 15 },
    );
  });
});
