/** A process routes anew by its settings only once the others may know of them. */
import { expect } from 'chai';
import { ConfigFollower } from '../../src/deliver/config-follower.ts';
import { RunningSettings } from '../../src/deliver/settings.ts';
import type { RunningConfig } from '../../src/ledger/configs/config-store.ts';
import { BridgeBench } from '../support/bridge-bench.ts';

describe('who follows the config', () => {
  let bench: BridgeBench;
  let settings: RunningSettings;
  let follower: ConfigFollower;
  /** Hashes in the order of the heartbeats, and what each waits for. */
  let beats: string[];
  let answers: ((mayRouteAnew: boolean) => void)[];

  const configOf = (hash: string): RunningConfig => ({ hash, channels: new Map() });
  const settingsOf = (hash: string) => bench.settingsWith({ config: configOf(hash) });
  const answer = async (mayRouteAnew: boolean) => {
    answers.shift()?.(mayRouteAnew);
    await bench.clock.advance(0);
  };

  beforeEach(async () => {
    beats = [];
    answers = [];
    bench = await BridgeBench.open([]);
    settings = new RunningSettings(settingsOf('old'), () => undefined);
    follower = new ConfigFollower({
      clock: bench.clock,
      ledger: {
        ...bench.ledger.configs,
        heartbeat: ({ hash }) => {
          beats.push(hash);
          return new Promise((resolve) => answers.push(resolve));
        },
      },
      settings,
      onDue: () => undefined,
      onRevival: () => undefined,
      onTrouble: (error) => {
        throw error;
      },
    });
    const started = follower.start();
    await answer(true);
    await started;
  });

  afterEach(async () => {
    const stopped = follower.stop();
    for (const each of answers) each(false);
    await bench.clock.runUntil(stopped);
    await bench.close();
  });

  it('routes nothing anew by settings that are swapped in before its heartbeat has said so', async () => {
    expect(follower.mayRouteAnew).to.equal(true);
    settings.swap(settingsOf('new'));
    void follower.reload();
    expect([follower.mayRouteAnew, beats]).to.deep.equal([false, ['old', 'new']]);
    await answer(true);
    expect(follower.mayRouteAnew).to.equal(true);
  });

  it('takes the answer to a heartbeat of the settings before for nothing', async () => {
    await bench.clock.advance(5000);
    settings.swap(settingsOf('new'));
    void follower.reload();
    await answer(true);
    expect([follower.mayRouteAnew, beats]).to.deep.equal([false, ['old', 'old', 'new']]);
    await answer(true);
    expect(follower.mayRouteAnew).to.equal(true);
  });
});
