/** The heartbeat of the running service: what it waits for, what log and metrics say of it, and how it follows the config. */
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { pino } from 'pino';
import { heartbeatChore } from '../../src/app/heartbeat.ts';
import type { Chore } from '../../src/deliver/chores.ts';
import { NO_PROXIES } from '../../src/outbound/proxy.ts';
import type { Logger } from '../../src/observe/logger.ts';
import { type BridgeWorld, createBridgeWorld } from '../support/bridge-world.ts';
import { startForwardProxy } from '../support/forward-proxy.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { until } from '../support/proof-wait.ts';
import { startWatcher, type Watcher } from '../support/watcher.ts';

const PATH = '/ping/5e0a-SECRET-OF-THE-WATCHER';
const OTHER_PATH = '/ping/77aa-SECRET-OF-ANOTHER-CHECK';

describe('the heartbeat of the service', () => {
  let watcher: Watcher;
  let lines: Record<string, unknown>[];
  let logger: Logger;

  const said = (words: string) => lines.filter(({ msg }) => String(msg).includes(words));

  beforeEach(async () => {
    watcher = await startWatcher();
    lines = [];
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
        done();
      },
    });
    logger = pino({ base: undefined }, stream);
  });

  afterEach(() => watcher.close());

  describe('between a bridge and its watcher', () => {
    let world: BridgeWorld;

    afterEach(() => world.close());

    const open = async (heartbeat: string) => {
      world = await createBridgeWorld(
        `${heartbeat}\nreceiver: { listen: '127.0.0.1:0' }\ndefault_route: { notify: [] }`,
        { logger },
      );
    };

    it('is sent once the service is up, and at once to the URL that a reload names', async () => {
      await open(`heartbeat: { url: '${watcher.origin}${PATH}', every: 1h }`);
      await until('the first beat', () => watcher.asked.length === 1);
      await world.swap((yaml) => yaml.replace(PATH, OTHER_PATH));
      await until('the beat elsewhere', () => watcher.asked.length === 2);
      expect(watcher.asked).to.deep.equal([PATH, OTHER_PATH]);
    });

    it('fails with one line, with no part of its URL in it, and disturbs nothing', async () => {
      watcher.status = 404;
      await open(`heartbeat: { url: '${watcher.origin}${PATH}', every: 1s }`);
      await until('two beats', () => watcher.asked.length >= 2);
      expect(said('the heartbeat fails').map(({ reason }) => reason)).to.deep.equal(['it answered 404']);
      watcher.status = 200;
      await until('one that is taken', () => said('the heartbeat is taken').length === 1);
      const told = JSON.stringify(lines) + (await world.metrics());
      expect(told).not.to.include('SECRET');
      expect((await world.post('{}')).status).to.equal(422);
    });

    it('goes through the proxy that the config names, from the next beat on', async () => {
      const proxy = await startForwardProxy({ login: { user: 'us', password: 'SECRET-OF-THE-PROXY' } });
      try {
        await open(`heartbeat: { url: '${watcher.origin}${PATH}', every: 1s }\nproxy: off`);
        await until('a beat without it', () => watcher.asked.length > 0);
        const through = `http://us:SECRET-OF-THE-PROXY@${proxy.host}`;
        await world.swap((yaml) => yaml.replace('proxy: off', `proxy: '${through}'`));
        await until('a beat through it', () => proxy.asked.includes(`${watcher.origin}${PATH}`));
        await world.swap((yaml) => yaml.replace('us:SECRET', 'us:NOT-THE-SECRET'));
        await until('a line', () => said('the heartbeat fails').length === 1);
        expect(said('the heartbeat fails')[0]?.['reason']).to.include('password');
        expect(JSON.stringify(lines)).not.to.include('SECRET');
      } finally {
        await proxy.close();
      }
    });
  });

  describe('as a chore', () => {
    let clock: ManualClock;
    let ledger: { writtenAt: number };
    let asked: string[];
    let answer: () => Promise<number>;
    let config: { heartbeat: { url: string; everyMs: number } | undefined; proxies: typeof NO_PROXIES };
    let chore: Chore;

    beforeEach(() => {
      clock = new ManualClock();
      ledger = { writtenAt: clock.monotonic() };
      asked = [];
      answer = () => Promise.resolve(200);
      config = { heartbeat: { url: 'https://watcher.example/a', everyMs: 1000 }, proxies: NO_PROXIES };
      const settings = { current: { config } };
      chore = heartbeatChore({ clock, logger, ledger, settings }, (url) => {
        asked.push(url);
        return answer();
      });
    });

    const twice = async () => {
      for (let time = 0; time < 2; time += 1) {
        await chore.work();
        await clock.advance(0);
      }
    };

    it('is as frequent as the config says, with one line', async () => {
      expect(chore.everyMs).to.equal(1000);
      await twice();
      expect([asked.length, lines.map(({ msg }) => msg)]).to.deep.equal([2, ['the heartbeat is taken']]);
    });

    it('asks nobody while the store cannot be used, and says so once', async () => {
      ledger.writtenAt -= 16_000;
      await twice();
      expect(asked).to.deep.equal([]);
      expect(lines.map(({ level, msg }) => [level, msg])).to.deep.equal([
        [40, 'no heartbeat is sent: the store cannot be used'],
      ]);
    });

    it('keeps no other chore waiting', async () => {
      answer = () => new Promise(() => undefined);
      await twice();
      expect(asked).to.have.length(2);
    });

    it('asks nobody where the config has no URL', async () => {
      config.heartbeat = undefined;
      await twice();
      expect(asked).to.deep.equal([]);
    });
  });
});
