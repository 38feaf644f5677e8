/** Reloads come one after the other, and a bad config changes nothing. */
import { expect } from 'chai';
import type { ReloadResult } from '../../src/admin/services.ts';
import type { ConfigReading } from '../../src/app/read-config.ts';
import { Reloader, type ReloaderDependencies } from '../../src/app/reload.ts';
import type { AppSettings, UsableConfig } from '../../src/app/settings.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import type { Problem } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { Readings } from '../../src/config/readings.ts';
import { RunningSettings } from '../../src/deliver/settings.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { type Moment, moment } from '../support/moment.ts';

const ROUTES = `channels: { slack: { type: outbox, as: slack } }\ndefault_route: { notify: [{ slack: '#ops' }] }\n`;

describe('a reload', () => {
  let clock: ManualClock;
  let disk: string;
  let problems: readonly Problem[];
  let settings: RunningSettings<AppSettings>;
  let reloader: Reloader;
  let opened: string[];
  let reported: string[];
  let reading: Moment | undefined;

  async function read(): Promise<ConfigReading> {
    const readings = new Readings();
    const text = await readings.take(() => Promise.resolve(disk));
    const { config } = loadConfig('botbell.yaml', {
      variables: {},
      channelTypes,
      builtInSets: ['en', 'ja'],
      readFile: () => `${text}\n${ROUTES}`,
      readFolders: () => ['en'],
    });
    if (config === undefined) throw new Error(`no config: ${text}`);
    const rest = { text, warnings: [], readings, configHash: text };
    const isBad = text.includes('# bad');
    const loaded = isBad ? undefined : ({ config, ...rest } as unknown as UsableConfig);
    return { loaded, problems: isBad ? problems : [], readings, missing: [] };
  }

  const settingsOf = (loaded: UsableConfig) =>
    ({
      ...loaded,
      channels: new Map(),
      redact: (text: string) => text.replace('hunter2', '[secret]'),
    }) as unknown as AppSettings;
  const inForce = () => settings.current.configHash;
  const short = (result: ReloadResult) =>
    result.isLoaded ? `${result.configHash} ${result.hasChanged}` : `refused`;

  beforeEach(async () => {
    clock = new ManualClock(1000);
    disk = '# one';
    problems = [{ place: { file: 'botbell.yaml', line: 3, column: 1 }, message: 'wrong', severity: 'error' }];
    [opened, reported, reading] = [[], [], undefined];
    const { loaded: first } = await read();
    if (first === undefined) throw new Error('no first config');
    settings = new RunningSettings(settingsOf(first), clock, () => undefined);
    reloader = new Reloader({
      clock,
      settings,
      ledger: {} as ReloaderDependencies['ledger'],
      readConfig: async () => {
        const found = await read();
        await reading?.promise;
        return found;
      },
      open: (next) => {
        if (next.configHash.includes('closed')) return Promise.reject(new Error('no channel for hunter2'));
        opened.push(next.configHash);
        return Promise.resolve(settingsOf(next));
      },
      onReload: (result, cause) => reported.push(`${cause}: ${short(result)}`),
    });
  });

  it('puts what is on the disk in force, and says since when', async () => {
    disk = '# two';
    await clock.advance(500);
    expect(short(await reloader.reload('SIGHUP'))).to.equal('# two true');
    expect(short(await reloader.reload('SIGHUP')), 'the same again').to.equal('# two false');
    expect([inForce(), reported]).to.deep.equal(['# two', ['SIGHUP: # two true', 'SIGHUP: # two false']]);
    expect(reloader.status).to.deep.include({ configHash: '# two', loadedAt: 1500, failure: undefined });
  });

  it('of a bad config changes nothing, and keeps what is wrong until a good one is loaded', async () => {
    disk = '# bad';
    await clock.advance(500);
    expect(await reloader.reload('SIGHUP')).to.deep.equal({ isLoaded: false, problems });
    expect([inForce(), opened]).to.deep.equal(['# one', []]);
    expect(reloader.status).to.deep.include({ loadedAt: 1000, failure: { at: 1500, problems } });
    disk = '# one';
    expect(short(await reloader.reload('SIGHUP'))).to.equal('# one true');
    expect(reloader.status.failure).to.equal(undefined);
  });

  it('whose channels cannot be opened changes nothing, and shows no secret', async () => {
    disk = '# closed';
    const result = await reloader.reload('SIGHUP');
    expect(JSON.stringify(result)).to.include('no channel for [secret]').and.not.to.include('hunter2');
    expect(inForce()).to.equal('# one');
  });

  it('that meets another one under way comes after it', async () => {
    reading = moment();
    disk = '# two';
    const first = reloader.reload('first');
    await clock.advance(0);
    disk = '# three';
    const others = ['second', 'third', 'fourth'].map((cause) => reloader.reload(cause));
    reading.happen();
    expect(short(await first)).to.equal('# two true');
    expect((await Promise.all(others)).map(short)).to.deep.equal([
      '# three true',
      '# three false',
      '# three false',
    ]);
    expect(opened).to.deep.equal(['# two', '# three', '# three', '# three']);
  });

  describe('by itself', () => {
    const second = () => clock.advance(1000);

    beforeEach(async () => {
      reloader.watch();
      await second();
    });

    afterEach(() => reloader.stop());

    it('follows a change of the files once nothing has been written for a second, be they good or bad', async () => {
      for (const text of ['# half', '# half of two']) {
        disk = text;
        await second();
      }
      disk = '# two';
      await second();
      expect(reported).to.deep.equal([]);
      await second();
      disk = '# bad';
      for (let time = 0; time < 4; time += 1) await second();
      disk = '# two';
      for (let time = 0; time < 4; time += 1) await second();
      const cause = 'a change of its files';
      expect(reported).to.deep.equal([`${cause}: # two true`, `${cause}: refused`, `${cause}: # two true`]);
    });
  });

  it('ends before it stops, and none begins after that, nor by itself', async () => {
    reloader.watch();
    reading = moment();
    disk = '# two';
    const last = reloader.reload('SIGHUP');
    const stopped = reloader.stop();
    reading.happen();
    await stopped;
    expect(short(await last)).to.equal('# two true');
    disk = '# three';
    expect(short(await reloader.reload('SIGHUP'))).to.equal('refused');
    await clock.advance(10_000);
    expect([inForce(), reported, clock.sleeping]).to.deep.equal(['# two', ['SIGHUP: # two true'], 0]);
  });
});
