/** A PostgreSQL that hangs, in whatever way: the built program answers in time, says that it is not ready, and recovers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { request } from 'undici';
import { type Answer, post } from '../support/bridge-world.ts';
import { lockTable } from '../support/lock-table.ts';
import { moment } from '../support/moment.ts';
import { type OwnPostgresServer, startOwnPostgres } from '../support/postgres-server.ts';
import type { ServeProcess } from '../support/process.ts';
import { deliveriesOfPostgres } from '../support/proof-ledger.ts';
import { JobService } from '../support/proof-service.ts';
import { keyedCallbacks, pairsOf } from '../support/proof-tally.ts';
import { until } from '../support/proof-wait.ts';
import { createProofWorld, DESTINATIONS, type ProofWorld, SLACK_OPS } from '../support/proof-world.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { IS_FULL, itAtFullSize, sized } from '../support/test-size.ts';

/** Small, since tests wait for it. Beside other work a delivery needs more. */
const ANSWER_WITHIN_MS = sized(6000, 3000);

/** For a machine that does other things as well; the HTTP exchange itself is within. */
const LATENESS_MS = 3000;

/** More than one batch of the ledger takes, so that some have to wait for the ones before. */
const AT_ONCE = 80;

const READY_WITHIN_MS = 6000;

interface Timed extends Answer {
  readonly tookMs: number;
}

async function timed(url: string, callback: unknown): Promise<Timed> {
  const begun = performance.now();
  const answer = await post(url, callback);
  return { ...answer, tookMs: performance.now() - begun };
}

async function readiness(botbell: ServeProcess): Promise<Pick<Timed, 'status' | 'tookMs'>> {
  const begun = performance.now();
  const { statusCode, body } = await request(`${botbell.adminUrl}/readyz`);
  await body.dump();
  return { status: statusCode, tookMs: performance.now() - begun };
}

/** Posts a first half, and a second one while that is waiting. */
async function postInTwoWaves(url: string, callbacks: readonly unknown[]): Promise<Timed[]> {
  const half = callbacks.length / 2;
  const first = callbacks.slice(0, half).map((callback) => timed(url, callback));
  await sleep(ANSWER_WITHIN_MS / 4);
  const second = callbacks.slice(half).map((callback) => timed(url, callback));
  return Promise.all([...first, ...second]);
}

function expectNotReady({ status, tookMs }: Pick<Timed, 'status' | 'tookMs'>): void {
  expect(status).to.equal(503);
  if (IS_FULL) expect(tookMs).to.be.below(READY_WITHIN_MS);
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
  let world: ProofWorld;
  let botbell: ServeProcess;

  before(async () => {
    server = await startOwnPostgres();
  });

  after(() => server.close());

  const open = async (storeUrl: string, delivery = 'timeout: 10s, take_over_after: 1h') => {
    const receiver = `answer_within: ${ANSWER_WITHIN_MS}ms`;
    world = await createProofWorld({ store: storeUrl, receiver, delivery });
    botbell = await world.start();
  };

  /** What Slack does about it is still open. */
  const postedUntilMailIsWritten = async () => {
    const callbacks = keyedCallbacks(1);
    const answer = timed(botbell.callbacksUrl, callbacks[0]);
    await until(
      'the mail is written down',
      async () => (await deliveriesOfPostgres(url, 'delivered')).length === 1,
    );
    return { callbacks, answer };
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

  const becomesReady = () =>
    until('it is ready again', async () => (await readiness(botbell)).status === 200);

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

  for (const table of ['callbacks', 'deliveries']) {
    itAtFullSize(`with \`${table}\` locked by somebody: the same`, async () => {
      await open(url);
      const callbacks = keyedCallbacks(AT_ONCE);
      const unlock = await lockTable(url, table);
      try {
        await expectToSayItCannot(callbacks);
      } finally {
        await unlock();
      }
      await becomesReady();
      await expectToldOnceByTheRetry(callbacks);
    });
  }

  itAtFullSize(
    'with `history` locked: what was told is answered 200 in time, and written down when the lock is gone',
    async () => {
      await open(url);
      const callbacks = keyedCallbacks(4);
      const unlock = await lockTable(url, 'history');
      try {
        const answers = await Promise.all(callbacks.map((each) => timed(botbell.callbacksUrl, each)));
        expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
        if (IS_FULL) expect(slowestOf(answers)).to.be.below(ANSWER_WITHIN_MS + LATENESS_MS);
        expectNotReady(await readiness(botbell));
      } finally {
        await unlock();
      }
      await until(
        'all is written down',
        async () => (await deliveriesOfPostgres(url, 'pending')).length === 0,
      );
      await expectToldOnceByTheRetry(callbacks);
    },
  );

  itAtFullSize(
    'stopped while a message is on its way: 200 in time, since everybody was told; written down afterwards',
    async () => {
      await open(url);
      const release = moment();
      world.slack.faults.push({ kind: 'answer_late', until: () => release.promise });
      const { callbacks, answer } = await postedUntilMailIsWritten();
      server.pause();
      try {
        release.happen();
        const { status, tookMs } = await answer;
        expect(status).to.equal(200);
        expect(tookMs).to.be.below(ANSWER_WITHIN_MS + LATENESS_MS);
      } finally {
        server.resume();
      }
      await until(
        'it is written down',
        async () => (await deliveriesOfPostgres(url, 'pending')).length === 0,
      );
      await expectToldOnceByTheRetry(callbacks);
    },
  );

  itAtFullSize('stopped while Slack does not answer either: in time all the same', async () => {
    await open(url, 'timeout: 20s');
    world.slack.faults.push({ kind: 'hang' });
    const { callbacks, answer } = await postedUntilMailIsWritten();
    server.pause();
    try {
      const { status, tookMs } = await answer;
      expect(status).to.equal(504);
      expect(tookMs).to.be.below(ANSWER_WITHIN_MS + LATENESS_MS);
    } finally {
      server.resume();
    }
    expect(await deliveriesOfPostgres(url, 'pending')).to.deep.equal(pairsOf(callbacks, [SLACK_OPS]));
  });
});
