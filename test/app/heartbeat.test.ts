/** The heartbeat of the running service: what it waits for, what log and metrics say of it, and how it follows the config. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { pino } from 'pino';
import { heartbeatChore } from '../../src/app/heartbeat.ts';
import type { Chore } from '../../src/deliver/chores.ts';
import { NO_PROXIES } from '../../src/outbound/proxy.ts';
import { type BridgeWorld, callback, createBridgeWorld } from '../support/bridge-world.ts';
import { startForwardProxy } from '../support/forward-proxy.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { until } from '../support/proof-wait.ts';

const PATH = '/ping/5e0a-SECRET-OF-THE-WATCHER';
const OTHER_PATH = '/ping/77aa-SECRET-OF-ANOTHER-CHECK';

/** A logger, and what it has logged. */
function loggedBy() {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  });
  return { lines, logger: pino({ base: undefined }, stream) };
}

describe('the heartbeat between a bridge and its watcher', () => {
  let watcher: Server;
  let origin: string;
  /** The paths that the watcher was asked for. */
  let asked: (string | undefined)[];
  let world: BridgeWorld;
  let log: ReturnType<typeof loggedBy>;

  beforeEach(async () => {
    log = loggedBy();
    asked = [];
    watcher = createServer(({ url }, response) => {
      asked.push(url);
      response.end();
    }).listen(0, '127.0.0.1');
    await once(watcher, 'listening');
    origin = `http://127.0.0.1:${(watcher.address() as AddressInfo).port}`;
  });

  afterEach(async () => {
    await world.close();
    watcher.close();
  });

  const open = async (heartbeat: string) => {
    world = await createBridgeWorld(
      `${heartbeat}\nreceiver: { listen: '127.0.0.1:0' }\ndefault_route: { notify: [{ slack: '#ops' }, { email: ops@example.com }] }`,
      { logger: log.logger },
    );
  };

  it('is sent once the service is up, and at once to the URL that a reload names, which no log or metric tells', async () => {
    await open(`heartbeat: { url: '${origin}${PATH}', every: 1h }`);
    await until('the first beat', () => asked.length === 1);
    await world.swap((yaml) => yaml.replace(PATH, OTHER_PATH));
    await until('the beat elsewhere', () => asked.length === 2);
    expect(asked).to.deep.equal([PATH, OTHER_PATH]);
    expect(JSON.stringify(log.lines) + (await world.metrics())).not.to.include('SECRET');
  });

  it('goes through the proxy that the config names, from the next beat on, as Slack’s messages do and mail does not', async () => {
    const proxy = await startForwardProxy();
    await open(`heartbeat: { url: '${origin}${PATH}', every: 1s }\nproxy: off`);
    await until('a beat without it', () => asked.length > 0);
    await world.swap((yaml) => yaml.replace('proxy: off', `proxy: 'http://${proxy.host}'`));
    await until('a beat through it', () => proxy.asked.includes(`${origin}${PATH}`));
    expect((await world.post(callback())).body.result).to.equal('delivered');
    expect(proxy.asked).to.include(`${world.slack.apiUrl}chat.postMessage`);
    expect([...new Set(proxy.asked)], 'mail goes past it').to.have.length(2);
    expect(world.mail.mails).to.have.length(1);
    await proxy.close();
  });
});

describe('the heartbeat', () => {
  let clock: ManualClock;
  let ledger: { writtenAt: number };
  let asked: string[];
  let answer: () => Promise<number>;
  let config: { heartbeat: { url: string; everyMs: number } | undefined; proxies: typeof NO_PROXIES };
  let chore: Chore;
  let log: ReturnType<typeof loggedBy>;

  beforeEach(() => {
    log = loggedBy();
    clock = new ManualClock();
    ledger = { writtenAt: clock.monotonic() };
    asked = [];
    answer = () => Promise.resolve(200);
    config = { heartbeat: { url: `https://watcher.example${PATH}`, everyMs: 1000 }, proxies: NO_PROXIES };
    const settings = { current: { config } };
    chore = heartbeatChore({ clock, logger: log.logger, ledger, settings }, (url) => {
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
  const said = () => log.lines.map(({ level, msg, reason }) => [level, msg, reason]);

  it('is as frequent as the config says, with one line', async () => {
    expect(chore.everyMs).to.equal(1000);
    await twice();
    expect([asked.length, said()]).to.deep.equal([2, [[30, 'the heartbeat is taken', undefined]]]);
  });

  it('that fails has one line, with no part of its URL, and one when it is taken', async () => {
    answer = () => Promise.resolve(404);
    await twice();
    answer = () => Promise.resolve(200);
    await twice();
    expect(said()).to.deep.equal([
      [40, 'the heartbeat fails: whoever waits for it may report that Botbell is gone', 'it answered 404'],
      [30, 'the heartbeat is taken', undefined],
    ]);
  });

  it('asks nobody while the store cannot be used, and says so once', async () => {
    ledger.writtenAt -= 16_000;
    await twice();
    expect(asked).to.deep.equal([]);
    expect(said()).to.deep.equal([[40, 'no heartbeat is sent: the store cannot be used', undefined]]);
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
