/** A store that is full, locked, silent or away: callbacks are refused, the program lives on, and all are told once afterwards. */
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { request } from 'undici';
import { forAll } from '../../support/anew.ts';
import { post } from '../../support/bridge-world.ts';
import type { SlackFault } from '../../support/faulty-slack.ts';
import { isInstalled } from '../../support/installed.ts';
import { noise } from '../../support/noise.ts';
import { startOwnPostgres } from '../../support/postgres-server.ts';
import type { ServeProcess } from '../../support/process.ts';
import { deliveriesIn } from '../../support/proof-ledger.ts';
import { postAll } from '../../support/proof-service.ts';
import { keyedCallback, keyOf, pairsOf, tally } from '../../support/proof-tally.ts';
import { until } from '../../support/proof-wait.ts';
import { createProgramWorld, DESTINATIONS, type ProgramWorld } from '../../support/program-world.ts';
import { IS_FULL } from '../../support/test-size.ts';

const AT_ONCE = 20;

/** Small ones find room where a large one does not. */
const MESSAGE_BYTES = [200_000, 1];

interface Trouble {
  readonly what: string;
  readonly storeOf?: () => Promise<string>;
  readonly ledger?: string;
  readonly wrapper?: readonly string[];
  /** How many may be told twice: those whose outcome it was writing. */
  readonly most?: number;
  /** @returns what ends it */
  readonly begin: (botbell: ServeProcess) => Promise<() => unknown> | (() => unknown);
}

describe('The store', () => {
  const server = forAll(() => startOwnPostgres());
  let world: ProgramWorld;
  let slackFault: SlackFault | undefined;

  afterEach(() => world.close());

  const onPostgres = () => server.createDatabase();

  const troubles: Trouble[] = [
    {
      what: 'in SQLite that another process has locked',
      begin() {
        const other = new DatabaseSync(world.file);
        other.exec('begin exclusive');
        return () => other.close();
      },
    },
    {
      what: 'in PostgreSQL that hangs',
      storeOf: onPostgres,
      begin() {
        server.pause();
        return () => server.resume();
      },
    },
  ];
  if (IS_FULL)
    troubles.push(
      {
        what: 'in SQLite that is full of what is undelivered',
        ledger: 'max_size: 16mb',
        begin() {
          slackFault = { kind: 'status', status: 500 };
          return () => (slackFault = undefined);
        },
      },
      {
        what: 'in PostgreSQL that crashes',
        storeOf: onPostgres,
        most: AT_ONCE,
        async begin() {
          await server.crash();
          return () => server.start();
        },
      },
    );
  if (process.platform === 'linux' && isInstalled('prlimit', 'a store that may not grow'))
    troubles.push({
      what: 'in SQLite that may not grow',
      wrapper: ['prlimit', '--fsize=600000:unlimited'],
      begin:
        ({ pid }) =>
        () =>
          spawnSync('prlimit', ['--pid', String(pid), '--fsize=unlimited']),
    });

  async function statusOf(url: string): Promise<number> {
    const { statusCode, body } = await request(url);
    await body.dump();
    return statusCode;
  }

  /** Posts until nothing more is taken. @returns what was posted, refused ones included */
  async function postUntilRefused(url: string): Promise<Record<string, unknown>[]> {
    const posted: Record<string, unknown>[] = [];
    for (const bytes of MESSAGE_BYTES)
      for (let isRefused = false; !isRefused;) {
        const callbacks = Array.from({ length: AT_ONCE }, (_, index) =>
          keyedCallback(keyOf(posted.length + index), { message: noise(bytes) }),
        );
        posted.push(...callbacks);
        const answers = await Promise.all(callbacks.map((callback) => post(url, callback)));
        isRefused = answers.every(({ status }) => status === 503);
        for (const { status, headers } of answers)
          if (status === 503)
            expect(headers).to.include({ 'retry-after': '30', 'content-type': 'application/problem+json' });
        if (isRefused && posted.length === AT_ONCE) return posted;
      }
    return posted;
  }

  for (const { what, storeOf, ledger, wrapper = [], begin, most = 0 } of troubles)
    it(`${what}: 503 with Retry-After, alive, by itself ready once that is over; then all are told once`, async () => {
      const delivery = 'timeout: 10s, take_over_after: 1h, attempts_per_request: 1';
      const settings = { store: await storeOf?.(), ledger, receiver: 'answer_within: 3s', delivery };
      world = await createProgramWorld({ ...settings, faultOf: () => slackFault });
      const botbell = await world.start({ wrapper });
      const service = { urlOf: () => botbell.callbacksUrl, retryMs: 200, concurrency: 8 };
      const [before, after] = [keyedCallback(keyOf(900_000)), keyedCallback(keyOf(900_001))];
      await postAll(service, [before]);
      const underWay = Array.from({ length: AT_ONCE }, (_, each) => keyedCallback(keyOf(800_000 + each)));
      const posted = postAll(service, underWay);
      const end = await begin(botbell);
      const callbacks = await postUntilRefused(botbell.callbacksUrl);
      expect(await statusOf(`${botbell.adminUrl}/healthz`)).to.equal(200);
      await end();
      await until('it is ready again', async () => (await statusOf(`${botbell.adminUrl}/readyz`)) === 200);
      await Promise.all([posted, postAll(service, [after])]);
      await postAll(service, callbacks);
      const expected = pairsOf([before, after, ...underWay, ...callbacks], DESTINATIONS);
      // What was admitted too late is nobody’s until its claim ends, 18 s later.
      await until('all are told', () => world.told().length >= expected.length);
      const isWritten = async () => (await deliveriesIn(world.store, 'pending')).length === 0;
      await until('that is written down', isWritten);
      const { missing, repeated } = tally(world.told(), expected);
      expect(missing, 'never told').to.deep.equal([]);
      expect([...repeated].slice(most), 'told twice').to.deep.equal([]);
      expect(botbell.log()).not.to.match(/unforeseen error|unhandled/i);
    });

  const isRoot = process.getuid?.() === 0;
  // Root may write whatever the mode says, unless it gives that up.
  if (!isRoot || isInstalled('setpriv', 'a store that cannot be written'))
    it('that cannot be written at the start is named, and the program does not run on it', async () => {
      world = await createProgramWorld();
      const first = await world.start();
      first.kill('SIGTERM');
      await first.exited();
      chmodSync(world.file, 0o444);
      chmodSync(world.folder, 0o555);
      const wrapper = isRoot ? ['setpriv', '--bounding-set=-dac_override'] : [];
      const outcome: unknown = await world.start({ wrapper }).catch((error: unknown) => error);
      chmodSync(world.folder, 0o755);
      expect(String(outcome)).to.match(
        /it ended with 1: .*store\.url.*cannot be used: .*permission denied/is,
      );
    });
});
