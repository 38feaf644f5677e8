/** A destination that does not answer: known to every process, probed seldom, and told as soon as it answers again. */
import { expect } from 'chai';
import { probeAt } from '../../src/ledger/deliveries/failing.ts';
import type { ChannelConfig, Config } from '../../src/config/config.ts';
import { figuresOf } from '../../src/app/series.ts';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { anew } from '../support/anew.ts';
import { MINUTE, SECOND } from '../support/manual-clock.ts';
import { failure, failures } from './remotes.ts';
import { PipelineWorld } from './pipeline-world.ts';

const NOON = Date.parse('2026-11-20T12:00:00Z');
const OPS = 'slack:#ops';

const CONFIG = `
channels: { slack: { type: outbox, as: slack } }
delivery: { give_up_after: 10m }
default_route: { notify: [{ slack: '#ops' }] }
`;

describe('A destination that is down', () => {
  const world = anew(() => PipelineWorld.begin(CONFIG, NOON));
  let triedAt: number[];

  const post = () => world.post({ status: 0 });
  const waiting = async () =>
    (await world.store.rows('deliveries')).filter(({ state }) => state === 'pending');

  /** Notes each second whether an attempt was made. */
  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += SECOND) {
      const before = world.tries(OPS);
      await world.clock.advance(SECOND);
      if (world.tries(OPS) > before) triedAt.push(world.clock.now());
    }
  }

  beforeEach(async () => {
    triedAt = [];
    world.fails(OPS, ...failures(10_000, 'transient'));
    await post();
    await pass(3 * MINUTE);
    await post();
  });

  it('is so for a process that begins after that, which attempts nothing for whoever comes, and is told all once one message gets through', async () => {
    await world.stop();
    await world.start();
    await world.start();
    const tries = world.tries(OPS);
    for (const process of world.processes)
      expect((await world.post({ status: 0 }, process)).result).to.equal('taken_over');
    expect(world.tries(OPS)).to.equal(tries);
    world.fails(OPS);
    await pass(MINUTE);
    expect(await waiting()).to.deep.equal([]);
    for (const process of world.processes)
      expect((await world.post({ status: 0 }, process)).result).to.equal('delivered');
    expect(await world.first.ledger.failingDestinations()).to.deep.equal([]);
  });

  it('is tried by one message at a time, fifteen seconds to fifteen minutes after the last, however many come and whoever is there', async () => {
    await world.start();
    await pass(MINUTE);
    triedAt = [];
    const tries = world.tries(OPS);
    for (let minute = 0; minute < 5; minute += 1) {
      await post();
      await pass(MINUTE);
    }
    const gaps = triedAt.slice(1).map((at, index) => at - (triedAt[index] ?? 0));
    expect(world.tries(OPS) - tries, 'one at a time').to.equal(triedAt.length);
    expect(Math.min(...gaps)).to.be.at.least(15 * SECOND);
    expect(gaps, 'ever longer').to.deep.equal(gaps.toSorted((a, b) => a - b));
    expect(gaps.at(-1)).to.be.within(45 * SECOND, 90 * SECOND);
    expect((await waiting()).length).to.equal(7);
  });

  it('is tried no more often than it was waited for an eighth of its time, and every fifteen minutes in the end', () => {
    expect(probeAt({ first: 0, last: 2 * MINUTE })).to.equal(2 * MINUTE + 15 * SECOND);
    expect(probeAt({ first: 0, last: 16 * MINUTE })).to.equal(18 * MINUTE);
    expect(probeAt({ first: 0, last: 300 * MINUTE })).to.equal(315 * MINUTE);
  });

  it('is so no longer after one message got through, also where the store could not be told of that at once', async () => {
    const { ledger } = world.first;
    const { endFailing } = ledger;
    Object.assign(ledger, { endFailing: () => Promise.reject(new LedgerUnavailable('hangs')) });
    world.fails(OPS);
    await pass(MINUTE);
    Object.assign(ledger, { endFailing });
    await pass(2 * SECOND);
    expect(await ledger.failingDestinations()).to.deep.equal([]);
    expect(await waiting()).to.deep.equal([]);
  });

  it('is told of once, also where the message that tries it was Botbell’s own before', async () => {
    const alerted = CONFIG.replace('give_up_after: 10m', 'give_up_after: 2h, alerts: [operators]');
    const groups = "groups: { operators: [{ slack: '#alerts' }] }";
    await world.reload(`${alerted.replace('#ops', '#late')}${groups}\nreceiver: { answer_when: accepted }\n`);
    world.fails('slack:#late', ...failures(10_000, 'transient'));
    await post();
    await world.passBy(30 * MINUTE, MINUTE);
    expect(world.tries('slack:#late')).to.be.above(6);
    expect(world.tries('slack:#alerts')).to.equal(1);
  });

  it('is counted as such while a route names it, and no longer', async () => {
    expect((await figuresOf({ ...world.first, clock: world.clock })).down).to.equal(1);
    await world.reload(CONFIG.replace('#ops', '#log'));
    await pass(5 * SECOND);
    expect((await figuresOf({ ...world.first, clock: world.clock })).down).to.equal(0);
  });

  it('has what waits there given up at its time, one after the other', async () => {
    for (let count = 0; count < 5; count += 1) await post();
    await pass(13 * MINUTE);
    expect(await waiting()).to.deep.equal([]);
    expect(new Set(await world.states())).to.deep.equal(new Set(['dead']));
  });

  it('is no longer so where the settings of its channel have changed', async () => {
    world.fails(OPS);
    await world.reload(CONFIG.replace('as: slack', 'as: email').replace("'#ops'", 'ops@example.com'));
    await world.reload(CONFIG);
    await pass(3 * SECOND);
    expect(await waiting()).to.deep.equal([]);
  });
});

describe('A destination', () => {
  const world = anew(() =>
    PipelineWorld.begin(CONFIG.replace("'#ops' }", "'#ops', per_job: thread }"), NOON),
  );

  it('of a channel whose login was refused is tried at once after a restart, which may have another one', async () => {
    world.fails(OPS, failure('config', 5 * MINUTE));
    for (let count = 0; count < 2; count += 1) await world.post({ status: 0 });
    await world.clock.advance(MINUTE);
    expect(await world.states()).to.deep.equal(['pending', 'pending']);
    await world.stop();
    await world.start();
    await world.clock.advance(5 * SECOND);
    expect(await world.states()).to.deep.equal(['delivered', 'delivered']);
  });

  it('whose login was refused is paused for who has that login alone, as in a rolling restart with a new password', async () => {
    world.fails(OPS, failure('config', 5 * MINUTE));
    await world.post({ status: 0 });
    const renewed = ({ settings, ...rest }: ChannelConfig) => ({
      ...rest,
      settings: { ...(settings as object), password: 'new' },
    });
    const configured = (config: Config) => ({
      ...config,
      channels: new Map([...config.channels].map(([name, each]) => [name, renewed(each)])),
    });
    Object.assign(world, { configured });
    await world.start();
    await world.clock.advance(5 * SECOND);
    await world.post({ status: 0 });
    expect((await world.states()).at(-1)).to.equal('delivered');
  });

  it('has not failed where the store cannot say what a job has said there: nothing is sent until it can', async () => {
    const { ledger } = world.first;
    const { jobMessages } = ledger;
    Object.assign(ledger, { jobMessages: () => Promise.reject(new LedgerUnavailable('hangs')) });
    expect((await world.post({ status: 0 })).result).to.equal('taken_over');
    expect([world.tries(OPS), await ledger.failingDestinations()]).to.deep.equal([0, []]);
    Object.assign(ledger, { jobMessages });
    await world.clock.advance(2 * SECOND);
    expect(world.tries(OPS)).to.equal(1);
  });

  it('that a test has reached has due at once what waits there, but what may have arrived', async () => {
    const arrived = Object.assign(failure('config'), { mayHaveArrived: true });
    world.fails(OPS, failure('config'), arrived);
    for (const bot_id of ['a', 'b']) await world.post({ bot_id, status: 0 });
    world.fails(OPS, ...failures(9, 'config'));
    await world.passBy(6 * MINUTE, SECOND);
    world.fails(OPS);
    const before = world.tries(OPS);
    await world.clock.runUntil(world.first.pipeline.people.test(OPS, { via: 'api', user: 'aya', from: '' }));
    await world.clock.advance(SECOND);
    expect(world.tries(OPS) - before, 'the test, and the first callback').to.equal(2);
    expect(await world.states()).to.include.members(['delivered', 'pending']);
  });
});

for (const mode of ['thread', 'update'] as const) {
  describe(`Of a job's messages, per_job: ${mode}`, () => {
    const world = anew(() =>
      PipelineWorld.begin(CONFIG.replace("'#ops' }", `'#ops', per_job: ${mode} }`), NOON),
    );

    it('each goes with the first, an error is heard, and no edit overwrites what was said later', async () => {
      const post = (status: 0 | 1 | 2) => world.post({ job_id: 'job-7', status });
      await post(2);
      await post(1);
      const root = { ts: '1.2' };
      Object.assign(world.first.ledger, { jobMessages: () => Promise.resolve({ root, isOvertaken: true }) });
      await post(0);
      expect(world.perJobs).to.deep.equal([
        { mode, root: undefined, isLoud: false },
        { mode, root, isLoud: true },
        mode === 'update' ? undefined : { mode, root, isLoud: false },
      ]);
    });
  });
}
