/** Settings are swapped between two callbacks: whatever has begun goes on as it began. */
import { expect } from 'chai';
import type { Config } from '../../src/config/config.ts';
import type { Channel } from '../../src/channels/channel.ts';
import { changedChannels, RunningSettings, type Settings } from '../../src/deliver/settings.ts';
import { callbackWith } from '../support/callbacks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { DeliveryBench, LEASE_MS, plannedTo, planTo } from './delivery-bench.ts';

const OPS = 'slack:#ops';
const LOG = 'slack:#log';
const FIRST = callbackWith({ job_id: 'first' });
const SECOND = callbackWith({ job_id: 'second' });

/** A Slack of its own, which says what it was sent and when it was closed. */
function tracedChannel(bench: DeliveryBench, name: string, events: string[]): Channel {
  return {
    async send({ address }) {
      events.push(`${name} ${address}`);
      await bench.clock.sleep(2000);
      events.push(`${name} told`);
      return { ts: '1' };
    },
    verify: () => Promise.resolve(),
    close: () => Promise.resolve(void events.push(`${name} closed`)),
  };
}

describe('settings that are swapped', () => {
  let bench: DeliveryBench;
  let events: string[];

  const slackOnly = (name: string, destination: string): Partial<Settings> => {
    const channel = tracedChannel(bench, name, events);
    return {
      channels: new Map([['slack', { pace: { addressMs: 1000, channelMs: 200 }, channel }]]),
      destinations: new Map([[destination, plannedTo(destination)]]),
      planFor: planTo([destination]),
    };
  };
  const swapTo = (name: string, destination: string) => bench.swap(slackOnly(name, destination));
  const post = (callback = FIRST) => bench.first.handle(callback);

  beforeEach(async () => {
    events = [];
    bench = await DeliveryBench.open([]);
    swapTo('old', OPS);
  });

  afterEach(() => bench.close());

  it('are the next callback’s, while the one under way keeps those it began with', async () => {
    const first = post();
    await bench.clock.advance(100);
    swapTo('new', LOG);
    const second = post(SECOND);
    const verdicts = await bench.clock.runUntil(Promise.all([first, second]));
    expect(verdicts.map(({ deliveries }) => deliveries)).to.deep.equal([
      [{ destination: OPS, state: 'delivered' }],
      [{ destination: LOG, state: 'delivered' }],
    ]);
    expect(events.slice(0, 2)).to.deep.equal(['old #ops', 'new #log']);
  });

  it('leave the channel that changed open for as long as an attempt may take, and no longer', async () => {
    const first = post();
    await bench.clock.advance(100);
    swapTo('new', OPS);
    await bench.clock.runUntil(first);
    await bench.clock.advance(LEASE_MS - 5000);
    expect(events).to.deep.equal(['old #ops', 'old told']);
    await bench.clock.advance(5000);
    expect(events).to.deep.equal(['old #ops', 'old told', 'old closed']);
  });

  it('leave what nobody waits for what it began with, and give the next one theirs', async () => {
    bench.answerWhen = 'accepted';
    swapTo('first', OPS);
    await bench.clock.runUntil(post());
    await bench.first.pipeline.start();
    await bench.clock.advance(100);
    swapTo('new', OPS);
    await bench.clock.runUntil(post(SECOND));
    await bench.clock.advance(5000);
    expect(events).to.include('first told');
    expect(events.filter((event) => event.endsWith('#ops'))).to.deep.equal(['first #ops', 'new #ops']);
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

  it('leave open what the next ones have, too', async () => {
    const [shared, own] = [resource('shared'), resource('own')];
    const settings = running(having(shared, own));
    settings.swap(having(shared));
    await clock.advance(5999);
    expect(closed).to.deep.equal([]);
    await clock.advance(1);
    expect(closed).to.deep.equal(['own']);
  });

  it('keep claims as long as the longest of those that something may be under way with', () => {
    const settings = running({ ...having(), config: configWith(3000) });
    settings.swap(having());
    expect(settings.leaseMs).to.equal(8000);
  });

  it('go on where one of them cannot be closed', async () => {
    const settings = running(having({ close: () => Promise.reject(new Error('stuck')) }, resource('other')));
    settings.swap(having());
    await clock.advance(6000);
    expect(closed).to.deep.equal(['other']);
    expect(troubles).to.have.length(1);
  });

  it('close everything in the end, once', async () => {
    const settings = running(having(resource('first')));
    settings.swap(having(resource('second')));
    await settings.close();
    await clock.advance(10_000);
    expect(closed).to.deep.equal(['first', 'second']);
  });

  it('tell which channels are not what they were', () => {
    const pace = { addressMs: 0, channelMs: 0 };
    const channel = () => ({ pace, channel: resource('') as unknown as Channel });
    const [same, mended] = [channel(), channel()];
    const of = (channels: Readonly<Record<string, unknown>>) =>
      ({ channels: new Map(Object.entries(channels)) }) as unknown as Settings;
    const before = of({ same, mended, gone: channel() });
    const after = of({ same, mended: channel(), added: channel() });
    expect(changedChannels(before, after)).to.deep.equal(['mended', 'gone']);
  });
});
