/** The heartbeat of the running service: what it waits for, what log and metrics say of it, and how it follows the config. */
import { target } from '../support/recorded.ts';
import { createServer } from 'node:http';
import { expect } from 'chai';
import { heartbeatChore } from '../../src/app/heartbeat.ts';
import { NO_PROXIES } from '../../src/outbound/proxy.ts';
import { anew } from '../support/anew.ts';
import { type BridgeWorld, callback, createBridgeWorld } from '../support/bridge-world.ts';
import { startForwardProxy } from '../support/forward-proxy.ts';
import { loggedBy } from '../support/logged-by.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { onLoopback } from '../support/on-loopback.ts';
import { until } from '../support/proof-wait.ts';

const PATH = '/ping/5e0a-SECRET-OF-THE-WATCHER';
const OTHER_PATH = '/ping/77aa-SECRET-OF-ANOTHER-CHECK';

describe('the heartbeat between a bridge and its watcher', () => {
  let world: BridgeWorld;
  afterEach(() => world.close());

  const asked: (string | undefined)[] = [];
  const proxy = anew(() => startForwardProxy());
  const watcher = anew(() =>
    onLoopback(
      createServer(({ url }, response) => {
        asked.push(url);
        response.end();
      }),
    ),
  );

  it('is sent once the service is up, and at once to the URL and through the proxy that a reload names, as Slack’s messages go and mail does not; no log or metric tells its URL', async () => {
    const origin = `http://${watcher.host}`;
    const { lines, logger } = loggedBy();
    world = await createBridgeWorld(
      `
receiver: { listen: '127.0.0.1:0' }
heartbeat: { url: '${origin}${PATH}', every: 1h }
proxy: off
default_route: { notify: [{ slack: '#ops' }, { email: ops@example.com }] }`,
      { logger },
    );
    await until('the first beat', () => asked.length === 1);
    await world.swap((yaml) =>
      yaml.replace(PATH, OTHER_PATH).replace('proxy: off', `proxy: 'http://${proxy.host}'`),
    );
    await until('the beat elsewhere', () => asked.length === 2);
    expect(asked).to.deep.equal([PATH, OTHER_PATH]);
    expect((await world.post(callback())).body.result).to.equal('delivered');
    const through = [`${origin}${OTHER_PATH}`, `${world.slack.apiUrl}chat.postMessage`];
    expect([...new Set(proxy.asked)]).to.deep.equal(through);
    expect(world.mail.mails).to.have.length(1);
    expect(JSON.stringify(lines) + (await world.metrics())).not.to.include('SECRET');
  });
});

describe('the heartbeat', () => {
  type Given = Partial<{ silentMs: number; hasUrl: boolean; troubled: readonly string[] }>;
  const [OK, NOT_FOUND] = [Promise.resolve(200), Promise.resolve(404)];
  const NEVER = new Promise<number>(() => undefined);
  const TAKEN = [30, 'the heartbeat is taken', undefined];
  const GONE = 'the heartbeat fails: whoever waits for it may report that Botbell is gone';
  const FAILS = [40, GONE, 'it answered 404'];
  const UNSENT = [40, 'no heartbeat is sent: the store cannot be used', undefined];
  const UNTOLD = [40, 'no heartbeat is sent: no destination of delivery.alerts works', undefined];
  const ALL = ['slack:#a', 'slack:#b', 'slack:#c'];
  // What the watcher answers each time, one after the other, how often it is asked, and what the log says.
  type Row = readonly [string, readonly Promise<number>[], number, readonly unknown[][], Given?];
  const rows: readonly Row[] = [
    ['has one line', [OK, OK], 2, [TAKEN]],
    ['that fails has one line, with no part of its URL', [NOT_FOUND, NOT_FOUND], 2, [FAILS]],
    ['that fails has another one when it is taken', [NOT_FOUND, OK, OK], 3, [FAILS, TAKEN]],
    ['asks nobody while the store cannot be used, says so once', [OK, OK], 0, [UNSENT], { silentMs: 16_000 }],
    ['keeps no other chore waiting', [NEVER, OK], 2, [TAKEN]],
    ['asks nobody while no destination of delivery.alerts works', [OK], 0, [UNTOLD], { troubled: ALL }],
    ['goes on while one of them works', [OK], 1, [TAKEN], { troubled: ['slack:#a'] }],
    ['asks nobody where the config has no URL', [OK], 0, [], { hasUrl: false }],
  ];
  for (const [what, answers, asked, said, { silentMs = 0, hasUrl = true, troubled = [] } = {}] of rows)
    it(what, async () => {
      const clock = new ManualClock();
      const { lines, logger } = loggedBy();
      const heartbeat = hasUrl ? { url: `https://watcher.example${PATH}`, everyMs: 1000 } : undefined;
      const delivery = { alerts: [target('slack:#a'), target('slack:#b')] };
      const redact = (text: string) => text;
      const settings = { current: { config: { heartbeat, proxies: NO_PROXIES, delivery }, redact } };
      const openIncidents = () =>
        Promise.resolve(troubled.map((subject) => ({ kind: 'destination', subject })));
      const ledger = { writtenAt: clock.monotonic() - silentMs, archive: { openIncidents } };
      let times = 0;
      const parts = { clock, logger, ledger, settings } as unknown as Parameters<typeof heartbeatChore>[0];
      const chore = heartbeatChore(parts, () => answers[times++] ?? OK);
      if (hasUrl) expect(chore.everyMs, 'as often as the config says').to.equal(1000);
      for (const _ of answers) {
        await chore.work();
        await clock.advance(0);
      }
      expect(times).to.equal(asked);
      expect(lines.map(({ level, msg, reason }) => [level, msg, reason])).to.deep.equal(said);
    });
});
