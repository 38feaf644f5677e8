/** Settings that are swapped while work goes on by them. */
import { expect } from 'chai';
import type { Config } from '../../src/config/config.ts';
import { changedChannels, RunningSettings, type Settings } from '../../src/deliver/settings.ts';
import { ManualClock } from '../support/manual-clock.ts';

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

  it('leave open what the next ones have, too, and close the others once nobody can use them', async () => {
    const [shared, own] = [resource('shared'), resource('own')];
    const stuck = { close: () => Promise.reject(new Error('stuck')) };
    const settings = running(having(shared, stuck, own));
    settings.swap(having(shared));
    await clock.advance(5999);
    expect(closed).to.deep.equal([]);
    await clock.advance(1);
    expect([closed, troubles.length]).to.deep.equal([['own'], 1]);
  });

  it('close everything in the end, once', async () => {
    const settings = running(having(resource('first')));
    settings.swap(having(resource('second')));
    await settings.close();
    await clock.advance(10_000);
    expect(closed).to.deep.equal(['first', 'second']);
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
