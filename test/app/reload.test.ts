import { expect } from 'chai';
import type { ReloadResult } from '../../src/admin/services.ts';
import { asItCanRun, Reloader, type ReloaderDependencies, routingChanges } from '../../src/app/reload.ts';
import type { AppSettings, UsableConfig, ConfigReading } from '../../src/app/settings.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import type { Config, Problem } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { Readings } from '../../src/config/readings.ts';
import { RunningSettings } from '../../src/deliver/settings.ts';
import type { CameOfBot } from '../../src/ledger/archive/archive.ts';
import type { Router } from '../../src/route/router.ts';
import { plannedTo } from '../deliver/delivery-record.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { type Moment, moment } from '../support/moment.ts';
import { faultSaid } from '../../src/text/fault.ts';

const ROUTES = `channels: { slack: { type: outbox, as: slack } }\ndefault_route: { notify: [{ slack: '#ops' }] }\n`;

function configOf(sections: string): Config {
  const { config, problems } = loadConfig('botbell.yaml', {
    variables: {},
    channelTypes,
    builtInSets: ['en', 'ja'],
    readFile: () => `${sections}\n${ROUTES}`,
    readBytes: () => '',
    now: 0,
    readFolders: () => ['en', 'ja'],
  });
  if (config === undefined) throw new Error(JSON.stringify(problems));
  return config;
}

describe('a reload', () => {
  let clock: ManualClock;
  let disk: string;
  let problems: readonly Problem[];
  let settings: RunningSettings<AppSettings>;
  let reloader: Reloader;
  let opened: string[];
  let reported: string[];
  let reading: Moment | undefined;
  let beforeReading: string | undefined;
  let failure: Error | undefined;

  async function read(): Promise<ConfigReading> {
    const readings = new Readings();
    const text = await readings.take(() => Promise.resolve(disk));
    const rest = { text, warnings: [], readings, configHash: text };
    const isBad = text.includes('# bad');
    const loaded = isBad ? undefined : ({ config: configOf(text), ...rest } as unknown as UsableConfig);
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
    problems = [
      { place: { file: 'botbell.yaml', line: 3, column: 1 }, fault: faultSaid('wrong'), severity: 'error' },
    ];
    [opened, reported, reading, beforeReading, failure] = [[], [], undefined, undefined, undefined];
    const { loaded: first } = await read();
    if (first === undefined) throw new Error('no first config');
    settings = new RunningSettings(settingsOf(first), clock, () => undefined);
    reloader = new Reloader({
      clock,
      settings,
      ledger: {} as ReloaderDependencies['ledger'],
      readConfig: async () => {
        if (failure !== undefined) throw failure;
        disk = beforeReading ?? disk;
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

  it('puts what is on the disk in force, and says since when, also what came after somebody had asked for it', async () => {
    disk = '# two';
    await clock.advance(500);
    expect(short(await reloader.reload('SIGHUP'))).to.equal('# two true');
    expect(short(await reloader.reload('SIGHUP')), 'the same again').to.equal('# two false');
    expect([inForce(), reported]).to.deep.equal(['# two', ['SIGHUP: # two true', 'SIGHUP: # two false']]);
    expect(reloader.status).to.deep.include({ configHash: '# two', loadedAt: 1500, failure: undefined });
    beforeReading = '# three';
    expect(short(await reloader.reload('SIGHUP')), 'a change after that was asked').to.equal('# three true');
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

  it('that failed for no fault of its files is tried again by itself', async () => {
    reloader.watch();
    failure = new Error('EMFILE: too many open files');
    expect(short(await reloader.reload('SIGHUP'))).to.equal('refused');
    await clock.advance(9000);
    failure = undefined;
    await clock.advance(2000);
    expect(reported).to.deep.equal(['SIGHUP: refused', 'another try: # one true']);
    await clock.advance(60_000);
    expect(reported, 'once').to.have.length(2);
    await reloader.stop();
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
    const said = (await Promise.all(others)).map(short);
    expect(said).to.deep.equal(['# three true', '# three false', '# three false']);
    expect(opened).to.deep.equal(['# two', '# three', '# three', '# three']);
  });

  it('follows by itself a change of the files once nothing has been written for a second, be they good or bad', async () => {
    reloader.watch();
    await clock.advance(1000);
    for (const text of ['# half', '# half of two', '# two']) {
      disk = text;
      await clock.advance(1000);
    }
    expect(reported).to.deep.equal([]);
    await clock.advance(1000);
    for (const text of ['# bad', '# two']) {
      disk = text;
      await clock.advance(4000);
    }
    const cause = 'a change of its files';
    expect(reported).to.deep.equal([`${cause}: # two true`, `${cause}: refused`, `${cause}: # two true`]);
    await reloader.stop();
  });

  it('ends before it stops, and none begins after that, nor by itself', async () => {
    reloader.watch();
    reading = moment();
    disk = '# two';
    const last = reloader.reload('SIGHUP');
    const stopped = reloader.stop();
    reading.happen();
    await stopped;
    expect(inForce(), 'once it has stopped').to.equal('# two');
    expect(short(await last)).to.equal('# two true');
    disk = '# three';
    expect(short(await reloader.reload('SIGHUP'))).to.equal('refused');
    await clock.advance(10_000);
    expect([inForce(), reported, clock.sleeping]).to.deep.equal(['# two', ['SIGHUP: # two true'], 0]);
  });
});

describe('a config that is loaded while Botbell runs', () => {
  const RUNNING = configOf(`
receiver: { listen: '127.0.0.1:8080' }
admin: { listen: '127.0.0.1:8081', password: first }
store: { url: 'sqlite:a.db', max_size: 1gb, keep: 30d }`);

  it('changes everything but the addresses and the store', () => {
    const next = configOf(`
receiver: { listen: '127.0.0.1:80', path: /other }
admin: { listen: '127.0.0.1:81', password: second }
store: { url: 'sqlite:b.db', max_size: 2gb, keep: 5d }`);
    const { config, unchanged } = asItCanRun(next, RUNNING);
    expect(unchanged).to.deep.equal(['receiver.listen', 'store.url', 'store.max_size', 'admin.listen']);
    expect(config.receiver).to.deep.equal({ ...next.receiver, listen: RUNNING.receiver.listen });
    expect(config.admin).to.equal(RUNNING.admin);
    expect(config.store).to.deep.equal({ ...RUNNING.store, keepMs: next.store.keepMs });
    expect(config.channels).to.equal(next.channels);
    expect(asItCanRun(RUNNING, config).unchanged, 'the addresses it was started with').to.deep.equal([]);
  });

  it('neither opens an admin listener nor closes one', () => {
    const off = configOf('admin: { listen: off }');
    const opened = asItCanRun(RUNNING, off);
    expect([opened.config.admin, opened.unchanged.includes('admin.listen')]).to.deep.equal([undefined, true]);
    const closed = asItCanRun(off, RUNNING);
    expect(closed.config.admin).to.equal(RUNNING.admin);
    expect(closed.unchanged).to.include('admin.listen');
    expect(asItCanRun(off, off).unchanged).not.to.include('admin.listen');
  });

  it('leaves no listener without a password that others can reach', () => {
    const open = configOf(`admin: { listen: '0.0.0.0:8081', password: first }`);
    const { config, unchanged } = asItCanRun(configOf(`admin: { listen: '127.0.0.1:8081' }`), open);
    expect(config.admin?.password).to.equal('first');
    expect(unchanged).to.deep.equal(['admin.listen']);
    expect(asItCanRun(configOf(''), RUNNING).config.admin?.password).to.equal(undefined);
  });

  it('leaves no receiver without a token that others can reach, and otherwise takes who may post from the next', () => {
    const open = configOf(
      `receiver: { listen: '0.0.0.0:8080', token: first, allow_from: [10.0.0.0/8], trust_proxy: true }`,
    );
    const closed = configOf(`receiver: { listen: '127.0.0.1:8080', path: /other }`);
    const { tokens, allowFrom, trustProxy } = open.receiver;
    const { config } = asItCanRun(closed, open);
    const { path } = closed.receiver;
    expect(config.receiver).to.deep.include({ tokens, allowFrom, trustProxy, path });
    for (const next of ['token: second', 'allow_from: [10.0.0.1]'].map((by) =>
      configOf(`receiver: { ${by} }`),
    ))
      expect(asItCanRun(next, open).config.receiver.tokens).to.deep.equal(next.receiver.tokens);
    expect(asItCanRun(closed, RUNNING).config.receiver.tokens).to.deep.equal([]);
  });
});

type Told = Readonly<Record<string, readonly string[]>>;

/** @param told whom a callback of a BOT and status is told, by `bot status` */
function routeOf(told: Told, everyOther: readonly string[] = []): Router['route'] {
  const others = { perhaps: [], later: [], explanations: [] };
  return ({ bot_id, status }) => ({
    destinations: (told[`${bot_id} ${status}`] ?? everyOther).map(plannedTo),
    ...others,
  });
}

describe('what another config would change', () => {
  const changed = (came: CameOfBot[], before: Router['route'], after: Router['route'], isComplete = true) =>
    routingChanges({ cameSince: () => Promise.resolve({ came, isComplete }) }, 0, before, after);

  it('is said of each BOT and status that came, with those who would be told and who no longer', async () => {
    const before = routeOf({ 'a 0': ['x', 'y'], 'a 1': ['x'], 'a 2': ['x'] });
    const came = ([0, 1, 2] as const).map((status) => ({ botId: 'a', status, callbacks: 3 - status }));
    const { changes } = await changed(came, before, routeOf({ 'a 0': ['y', 'z'], 'a 1': ['x'] }));
    expect(changes).to.deep.equal([
      { botId: 'a', status: 'succeeded', callbacks: 3, added: ['z'], removed: ['x'] },
      { botId: 'a', status: 'executing', callbacks: 1, added: [], removed: ['x'] },
    ]);
  });

  it('is of many BOTs the thousand that most came of, and says that there are more, or that it did not see all', async () => {
    const ofBot = (index: number) => ({ botId: `b${index}`, status: 1 as const, callbacks: index + 1 });
    const came = Array.from({ length: 1200 }, (_, index) => ofBot(index));
    const [toNobody, toAll] = [routeOf({}), routeOf({}, ['z'])];
    const { changes, isComplete } = await changed(came, toNobody, toAll);
    expect([changes.length, isComplete]).to.deep.equal([1000, false]);
    expect(changes[0]).to.include({ botId: 'b1199', callbacks: 1200 });
    expect(await changed(came, toAll, toAll)).to.deep.equal({ changes: [], isComplete: true });
    expect((await changed([], toAll, toAll, false)).isComplete).to.equal(false);
  });
});
