/** A PostgreSQL that hangs, in whatever way: the built program answers in time, says that it is not ready, and recovers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { request } from 'undici';
import { type Answer, post } from '../support/bridge-world.ts';
import { type OwnPostgresServer, startOwnPostgres } from '../support/postgres-server.ts';
import type { ServeProcess } from '../support/process.ts';
import { JobService } from '../support/proof-service.ts';
import { keyedCallbacks, pairsOf } from '../support/proof-tally.ts';
import { until } from '../support/proof-wait.ts';
import { createProgramWorld, DESTINATIONS, type ProgramWorld } from '../support/program-world.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { IS_FULL, itAtFullSize, sized } from '../support/test-size.ts';

/** Small, since tests wait for it. Beside other work a delivery needs more. */
const ANSWER_WITHIN_MS = sized(6000, 3000);

/** For a machine that does other things as well; the HTTP exchange itself is within. */
const LATENESS_MS = 3000;

/** More than one batch of the ledger takes, so that some have to wait for the ones before. */
const AT_ONCE = 80;

interface Timed extends Answer {
  readonly tookMs: number;
}

async function timed(url: string, callback: unknown): Promise<Timed> {
  const begun = performance.now();
  const answer = await post(url, callback);
  return { ...answer, tookMs: performance.now() - begun };
}

async function readiness(botbell: ServeProcess): Promise<number> {
  const { statusCode, body } = await request(`${botbell.adminUrl}/readyz`);
  await body.dump();
  return statusCode;
}

/** Posts a first half, and a second one while that is waiting. */
async function postInTwoWaves(url: string, callbacks: readonly unknown[]): Promise<Timed[]> {
  const half = callbacks.length / 2;
  const first = callbacks.slice(0, half).map((callback) => timed(url, callback));
  await sleep(ANSWER_WITHIN_MS / 4);
  const second = callbacks.slice(half).map((callback) => timed(url, callback));
  return Promise.all([...first, ...second]);
}

function slowestOf(answers: readonly Timed[]): number {
  return Math.max(...answers.map(({ tookMs }) => tookMs));
}

function expectAllUnavailableInTime(answers: readonly Timed[]): void {
  if (IS_FULL) expect(slowestOf(answers)).to.be.below(ANSWER_WITHIN_MS + LATENESS_MS);
  expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([503]));
  expect(new Set(answers.map(({ headers }) => headers['retry-after']))).to.deep.equal(new Set(['30']));
  expect(answers[0]?.headers['content-type']).to.contain('application/problem+json');
}

describe('A PostgreSQL that hangs', () => {
  let server: OwnPostgresServer;
  let url: string;
  let world: ProgramWorld;
  let botbell: ServeProcess;

  before(async () => {
    server = await startOwnPostgres();
  });

  after(() => server.close());

  const open = async (storeUrl: string, delivery = 'timeout: 10s, take_over_after: 1h') => {
    const receiver = `answer_within: ${ANSWER_WITHIN_MS}ms`;
    world = await createProgramWorld({ store: storeUrl, receiver, delivery });
    botbell = await world.start();
  };

  beforeEach(async () => {
    url = await server.createDatabase();
  });

  afterEach(() => world.close());

  const serviceTo = ({ callbacksUrl }: ServeProcess) =>
    new JobService({ urlOf: () => callbacksUrl, retryMs: 200, concurrency: 16 });

  const expectToldOnceByTheRetry = async (callbacks: readonly Record<string, unknown>[]) => {
    await serviceTo(botbell).postAll(callbacks);
    const expected = pairsOf(callbacks, DESTINATIONS).sort();
    // What was admitted too late, and is not released yet, is taken over by the retry and told by itself.
    await until('all are told', () => world.told().length >= expected.length);
    expect(world.told().sort()).to.deep.equal(expected);
  };

  /** While nothing can be written, everybody is told to come again. */
  const expectToSayItCannot = async (callbacks: readonly unknown[]) => {
    expectAllUnavailableInTime(await postInTwoWaves(botbell.callbacksUrl, callbacks));
  };

  const becomesReady = () => until('it is ready again', async () => (await readiness(botbell)) === 200);

  it('stopped where it is: 503 in time for all who come, not ready; then the retries tell everybody once', async () => {
    await open(url);
    const [first = {}, ...callbacks] = keyedCallbacks(AT_ONCE + 1);
    await serviceTo(botbell).postAll([first]);
    server.pause();
    try {
      await expectToSayItCannot(callbacks);
    } finally {
      server.resume();
    }
    await becomesReady();
    await expectToldOnceByTheRetry([first, ...callbacks]);
  });

  itAtFullSize('behind a network that swallows everything: the same', async () => {
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(url).port) });
    try {
      const through = new URL(url);
      through.port = String(proxy.port);
      await open(through.href);
      const [first = {}, ...callbacks] = keyedCallbacks(AT_ONCE + 1);
      await serviceTo(botbell).postAll([first]);
      proxy.fallSilent();
      await expectToSayItCannot(callbacks);
      proxy.recover();
      await becomesReady();
      await expectToldOnceByTheRetry([first, ...callbacks]);
    } finally {
      await proxy.close();
    }
  });
});
