/** A PostgreSQL that hangs: the built program answers in time, and recovers. */
import { expect } from 'chai';
import { request } from 'undici';
import { post } from '../support/bridge-world.ts';
import { type OwnPostgresServer, startOwnPostgres } from '../support/postgres-server.ts';
import { createProgramWorld, DESTINATIONS, type ProgramWorld } from '../support/program-world.ts';
import { JobService } from '../support/proof-service.ts';
import { keyedCallbacks, pairsOf } from '../support/proof-tally.ts';
import { until } from '../support/proof-wait.ts';
import { IS_FULL, sized } from '../support/test-size.ts';

/** Small, since tests wait for it. Beside other work a delivery needs more. */
const ANSWER_WITHIN_MS = sized(6000, 3000);

/** For a machine that does other things as well; the HTTP exchange itself is within. */
const LATENESS_MS = 3000;

/** More than one batch of the ledger takes, so that some have to wait for the ones before. */
const AT_ONCE = 80;

describe('A PostgreSQL that hangs', () => {
  let server: OwnPostgresServer;
  let world: ProgramWorld;

  before(async () => {
    server = await startOwnPostgres();
  });

  after(() => server.close());

  afterEach(() => world.close());

  it('has all who come answered 503 in time; then the retries tell everybody once', async () => {
    world = await createProgramWorld({
      store: await server.createDatabase(),
      receiver: `answer_within: ${ANSWER_WITHIN_MS}ms`,
      delivery: 'timeout: 10s, take_over_after: 1h',
    });
    const { callbacksUrl, adminUrl } = await world.start();
    const service = new JobService({ urlOf: () => callbacksUrl, retryMs: 200, concurrency: 16 });
    const callbacks = keyedCallbacks(AT_ONCE + 1);
    await service.postAll(callbacks.slice(0, 1));
    server.pause();
    const begun = performance.now();
    try {
      const answers = await Promise.all(callbacks.slice(1).map((each) => post(callbacksUrl, each)));
      if (IS_FULL) expect(performance.now() - begun).to.be.below(ANSWER_WITHIN_MS + LATENESS_MS);
      const seen = answers.map(({ status, headers }) => [
        status,
        headers['retry-after'],
        headers['content-type'],
      ]);
      expect(seen).to.deep.equal(seen.map(() => [503, '30', 'application/problem+json']));
    } finally {
      server.resume();
    }
    await until('it is ready again', async () => {
      const { statusCode, body } = await request(`${adminUrl}/readyz`);
      await body.dump();
      return statusCode === 200;
    });
    await service.postAll(callbacks);
    const expected = pairsOf(callbacks, DESTINATIONS).sort();
    // What was admitted too late, and is not released yet, is taken over by the retry and told by itself.
    await until('all are told', () => world.told().length >= expected.length);
    expect(world.told().sort()).to.deep.equal(expected);
  });
});
