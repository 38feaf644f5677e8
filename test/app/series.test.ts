/** Every series is there before anything has happened: Prometheus sees no increase in one that begins with 1. */
import { expect } from 'chai';
import { beginSeries } from '../../src/app/series.ts';
import type { AppSettings } from '../../src/app/settings.ts';
import { RunningSettings } from '../../src/deliver/settings.ts';
import { createMetrics } from '../../src/observe/metrics.ts';
import { ManualClock } from '../support/manual-clock.ts';

function settingsWith(channel: string): AppSettings {
  const store = { url: 'sqlite:botbell.db', maxSizeBytes: 4096 };
  const open = { channel: { close: () => Promise.resolve() } };
  const config = { store, receiver: { answerWithinMs: 0 }, delivery: { timeoutMs: 0 } };
  return { config, configHash: 'ab', channels: new Map([[channel, open]]) } as unknown as AppSettings;
}

describe('the series of the metrics', () => {
  it('are there at 0 for each result of a callback, and each outcome by the channels of the config, also after a reload', async () => {
    const metrics = createMetrics('1');
    const settings = new RunningSettings(settingsWith('slack'), new ManualClock(), () => undefined);
    beginSeries(metrics, settings);
    settings.swap(settingsWith('email'));
    const text = await metrics.text(() => Promise.resolve({}));
    const results = ['delivered', 'duplicate', 'no_route', 'superseded', 'held', 'accepted', 'taken_over'];
    const counted = ['executing', 'error', 'succeeded'].flatMap((status) =>
      [...results, 'gave_up', 'failed', 'timed_out', 'unavailable'].map((result) => [status, result]),
    );
    for (const [status, result] of [...counted, ['none', 'refused'], ['none', 'unavailable']])
      expect(text).to.include(`\nbotbell_callbacks_total{status="${status}",result="${result}"} 0\n`);
    for (const channel of ['slack', 'email'])
      for (const outcome of ['delivered', 'transient', 'rate_limited', 'permanent', 'config'])
        expect(text)
          .to.include(`\nbotbell_deliveries_total{channel="${channel}",outcome="${outcome}"} 0\n`)
          .and.include(`\nbotbell_delivery_seconds_count{channel="${channel}"} 0\n`);
    for (const line of ['store_max_bytes 4096', 'config_info{hash="ab"} 1'])
      expect(text).to.include(`\nbotbell_${line}\n`);
  });
});
