import { expect } from 'chai';
import type { Config } from '../../src/config/config.ts';
import { changedChannels, RunningSettings, type Settings } from '../../src/deliver/settings.ts';
import { anew } from '../support/anew.ts';
import { callbackWith } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { DeliveryBench, failure } from './delivery-bench.ts';

const OPS = 'slack:#ops';
const LOG = 'slack:#log';

describe('settings that are swapped', () => {
  const bench = anew(() => DeliveryBench.open([OPS]));

  it('are the next attempt’s, also of a callback that came before them, which is then Botbell’s own', async () => {
    await bench.first.pipeline.start();
    bench.fails(OPS, failure('rate_limited', 3000));
    const first = bench.first.handle(callbackWith({ job_id: 'first' }));
    await bench.clock.advance(100);
    await bench.plan(LOG);
    const second = bench.first.handle(callbackWith({ job_id: 'second' }));
    const verdicts = await bench.clock.runUntil(Promise.all([first, second]));
    expect(verdicts.map(({ result }) => result)).to.deep.equal(['taken_over', 'delivered']);
    await bench.clock.advance(6000);
    expect([bench.tries(OPS), bench.told]).to.deep.equal([1, [LOG, LOG]]);
  });

  it('leave an attempt under way to those that it began with', async () => {
    bench.takes(OPS, 2000);
    const posted = bench.first.handle(callbackWith());
    await bench.clock.advance(100);
    await bench.plan(LOG);
    expect((await bench.clock.runUntil(posted)).result).to.equal('delivered');
    expect(bench.told).to.deep.equal([OPS]);
  });

  for (const failed of ['config', 'rate_limited', 'transient'] as const)
    it(`do not wait for what their channel met before, ${failed}: the login and the limits are other ones`, async () => {
      await bench.first.pipeline.start();
      bench.takes(OPS, 2000);
      bench.fails(OPS, failure(failed, 600_000));
      const posted = bench.first.handle(callbackWith({ job_id: 'before' }));
      await bench.clock.advance(100);
      bench.opensAnew('slack');
      await bench.reload();
      expect((await bench.clock.runUntil(posted)).result).to.equal('taken_over');
      const next = await bench.clock.runUntil(bench.first.handle(callbackWith({ job_id: 'after' })));
      await bench.clock.advance(3000);
      const told = bench.told.filter((each) => each === OPS);
      expect([next.result, told]).to.deep.equal(['delivered', [OPS, OPS]]);
    });
});

describe('running settings', () => {
  let clock: ManualClock;
  let closed: string[];
  let troubles: unknown[];

  const configWith = (answerWithinMs: number) =>
    ({ receiver: { answerWithinMs }, delivery: { timeoutMs: 0 } }) as unknown as Config;
  const resource = (name: string) => ({ close: () => Promise.resolve(void closed.push(name)) });
  const having = (...open: { close(): Promise<void> }[]) => {
    const pace = { addressMs: 0, channelMs: 0 };
    const channels = new Map(open.map((channel, index) => [`${index}`, { pace, channel }]));
    return { channels, config: configWith(1000) } as unknown as Settings;
  };
  const running = (first: Settings) => new RunningSettings(first, clock, (error) => troubles.push(error));

  beforeEach(() => {
    clock = new ManualClock();
    closed = [];
    troubles = [];
  });

  it('leave open what the next ones have, too, close the others once nobody can use them, and all in the end, once', async () => {
    const [shared, own, last] = [resource('shared'), resource('own'), resource('last')];
    const stuck = { close: () => Promise.reject(new Error('stuck')) };
    const settings = running(having(shared, stuck, own));
    settings.swap(having(shared));
    await clock.advance(5999);
    expect(closed).to.deep.equal([]);
    await clock.advance(1);
    expect([closed, troubles.length]).to.deep.equal([['own'], 1]);
    settings.swap(having(last));
    await settings.close();
    await clock.advance(10_000);
    expect(closed).to.deep.equal(['own', 'shared', 'last']);
  });

  it('give work as long as the longest of those that it may be under way with', () => {
    const settings = running({ ...having(), config: configWith(3000) });
    settings.swap(having());
    expect(settings.workMs).to.equal(8000);
  });

  it('tell which channels are not what they were, also those that no destination uses', () => {
    const proxies = { http: undefined };
    const of = (...channels: readonly (readonly [name: string, token: string])[]) => {
      const all = channels.map(([name, token]) => [name, { name, settings: { token } }] as const);
      return { config: { channels: new Map(all), proxies } as unknown as Settings['config'] };
    };
    const before = of(['same', 'a'], ['mended', 'b'], ['gone', 'c']);
    const after = of(['same', 'a'], ['mended', 'd'], ['added', 'e']);
    expect(changedChannels(before, after)).to.deep.equal(['mended', 'gone']);
  });
});
