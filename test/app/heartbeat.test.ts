/** The heartbeat of the running service: what it waits for, what log and metrics say of it, and how it follows the config. */
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { pino } from 'pino';
import { type HeartbeatServices, startHeartbeat } from '../../src/app/heartbeat.ts';
import { NO_PROXIES } from '../../src/outbound/proxy.ts';
import type { Heartbeat } from '../../src/observe/heartbeat.ts';
import type { Logger } from '../../src/observe/logger.ts';
import { createMetrics } from '../../src/observe/metrics.ts';
import { systemClock } from '../../src/time/clock.ts';
import { type BridgeWorld, createBridgeWorld } from '../support/bridge-world.ts';
import { startForwardProxy } from '../support/forward-proxy.ts';
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

    const metric = async (outcome: string) => {
      const name = `botbell_heartbeat_total{outcome="${outcome}"} `;
      const line = (await world.metrics()).split('\n').find((each) => each.startsWith(name));
      return line?.slice(name.length);
    };

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
      await until('both counted', async () => (await metric('sent')) === '2');
    });

    it('fails with one line and a count, with no part of its URL in either, and disturbs nothing', async () => {
      watcher.status = 404;
      await open(`heartbeat: { url: '${watcher.origin}${PATH}', every: 1s }`);
      await until('two beats', async () => Number(await metric('failed')) >= 2);
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

    it('is counted from 0 where there is none', async () => {
      await open('');
      for (const outcome of ['sent', 'failed', 'withheld']) expect(await metric(outcome)).to.equal('0');
    });
  });

  describe('waits for all to be well', () => {
    let services: HeartbeatServices;
    let heartbeat: Heartbeat | undefined;
    let ledger: { writtenAt: number };
    let pipeline: { lookedAt: number };
    let traffic: { isDraining: boolean };

    beforeEach(() => {
      ledger = { writtenAt: systemClock.monotonic() };
      pipeline = { lookedAt: systemClock.monotonic() };
      traffic = { isDraining: false };
      const unknown = () => Promise.resolve(undefined);
      services = {
        clock: systemClock,
        logger,
        metrics: createMetrics({ version: '1', countOpen: unknown, storeBytes: unknown }),
        onUnforeseen: (error) => expect.fail(String(error)),
        settings: {
          current: {
            loaded: {
              config: {
                heartbeat: { url: `${watcher.origin}${PATH}`, everyMs: 3_600_000 },
                proxies: NO_PROXIES,
              },
            },
          },
          onSwap: () => undefined,
        },
        ledger,
        traffic,
        pipeline,
      };
    });

    afterEach(() => heartbeat?.stop());

    const withheldFor = async () => {
      heartbeat = startHeartbeat(services);
      await until('a line', () => lines.length === 1);
      expect([watcher.asked, lines[0]?.['level']]).to.deep.equal([[], 40]);
      return lines[0]?.['troubles'];
    };

    it('for a store that has been written lately', async () => {
      ledger.writtenAt -= 16_000;
      expect(await withheldFor()).to.deep.equal(['the store cannot be used']);
    });

    it('for a service that takes callbacks', async () => {
      traffic.isDraining = true;
      expect(await withheldFor()).to.deep.equal(['Botbell is shutting down']);
    });

    it('for somebody who looks for what is due', async () => {
      pipeline.lookedAt -= 61_000;
      expect(await withheldFor()).to.deep.equal(['nothing looks for what is due any more']);
    });

    it('and is sent when it is', async () => {
      heartbeat = startHeartbeat(services);
      await until('a beat', () => watcher.asked.length === 1);
    });
  });
});
