/** The heartbeat of the running service: what it waits for, what log and metrics say of it, and how it follows the config. */
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { pino } from 'pino';
import { type HeartbeatServices, startHeartbeat } from '../../src/app/heartbeat.ts';
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

  describe('by a clock that is moved by hand', () => {
    const URL_A = 'https://watcher.example/a';
    const URL_B = 'https://watcher.example/b';
    const MINUTE = 60_000;

    let clock: ManualClock;
    let stop: () => void;
    let asked: [url: string, at: number][];
    let answer: () => Promise<void>;
    let ledger: { writtenAt: number };
    let pipeline: { lookedAt: number };
    let loads: { isDraining: boolean };
    let follow: (next: { url: string; everyMs: number } | undefined) => void;

    const start = (everyMs = MINUTE) => {
      const startedAt = clock.monotonic();
      const loadedWith = (heartbeatConfig: { url: string; everyMs: number } | undefined) => ({
        config: { heartbeat: heartbeatConfig, proxies: NO_PROXIES },
      });
      let current = loadedWith({ url: URL_A, everyMs });
      const services: HeartbeatServices = {
        clock,
        logger,
        settings: {
          get current() {
            return current;
          },
        },
        ledger,
        loads,
        pipeline,
      };
      follow = (next) => (current = loadedWith(next));
      stop = startHeartbeat(services, (url) => {
        asked.push([url, clock.monotonic() - startedAt]);
        return answer();
      });
    };

    const advance = async (ms: number) => {
      ledger.writtenAt += ms;
      pipeline.lookedAt += ms;
      await clock.advance(ms);
    };

    beforeEach(() => {
      clock = new ManualClock();
      asked = [];
      answer = () => Promise.resolve();
      ledger = { writtenAt: clock.monotonic() };
      pipeline = { lookedAt: clock.monotonic() };
      loads = { isDraining: false };
    });

    afterEach(() => stop());

    it('asks at once, and then as often as it is told, with one line', async () => {
      start();
      await advance(2 * MINUTE);
      expect(asked).to.deep.equal([0, MINUTE, 2 * MINUTE].map((at) => [URL_A, at]));
      expect(lines.map(({ msg }) => msg)).to.deep.equal(['the heartbeat is taken']);
    });

    const troubles: [string, () => unknown][] = [
      ['the store cannot be used', () => (ledger.writtenAt -= 16_000)],
      ['Botbell is shutting down', () => (loads.isDraining = true)],
      ['nothing looks for what is due any more', () => (pipeline.lookedAt -= 61_000)],
    ];
    for (const [trouble, happens] of troubles)
      it(`asks nobody while ${trouble}, and says so once`, async () => {
        happens();
        start();
        await advance(MINUTE);
        expect(asked).to.deep.equal([]);
        expect(lines.map(({ level, troubles: said }) => [level, said])).to.deep.equal([[40, [trouble]]]);
      });

    it('never asks twice at once, however short the interval is', async () => {
      answer = () => clock.sleep(2500);
      start(1000);
      await advance(7000);
      expect(asked.map(([, at]) => at)).to.deep.equal([0, 3500, 7000]);
    });

    it('goes by a changed URL at once, and by none any more', async () => {
      start();
      await advance(1000);
      follow({ url: URL_A, everyMs: MINUTE });
      await advance(1000);
      follow({ url: URL_B, everyMs: MINUTE });
      await advance(1000);
      expect(asked).to.deep.equal([
        [URL_A, 0],
        [URL_B, 3000],
      ]);
      follow(undefined);
      await advance(10 * MINUTE);
      expect(asked).to.have.length(2);
    });
  });
});
