/** Two replicas over one PostgreSQL: each may die, the database may go away, and everybody is still told once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { request } from 'undici';
import type { SlackFault } from '../../support/faulty-slack.ts';
import { post } from '../../support/bridge-world.ts';
import { type OwnPostgresServer, startOwnPostgres } from '../../support/postgres-server.ts';
import type { ServeProcess } from '../../support/process.ts';
import { deliveriesOfPostgres, endClaimsOfPostgres } from '../../support/proof-ledger.ts';
import { JobService } from '../../support/proof-service.ts';
import { keyedCallbacks, pairsOf, tally } from '../../support/proof-tally.ts';
import { seededRandom, until } from '../../support/proof-wait.ts';
import { createProgramWorld, DESTINATIONS, type ProgramWorld } from '../../support/program-world.ts';
import { sized } from '../../support/test-size.ts';

const CALLBACKS = sized(60, 160);
const KILLS = sized(1, 3);
const CONCURRENCY = 16;
const RETRY_MS = 100;
const SLOWEST_ANSWER_MS = 30;

/**
 * The remotes answer in 30 ms, but on a busy machine in seconds, and what timed out may be told twice. So attempts and answers get
 * much longer than that. What no retry of the service ends is due soon after.
 */
const LONG = { receiver: 'answer_within: 60s', delivery: 'timeout: 50s, take_over_after: 5s' };

/** What a replica that was killed had just asked of the server may be written after its claims were ended, and claim for as long as answers take. */
const LONGEST_MS = 120_000;

/** A lock that comes too late on a busy machine is a 503, after which the service posts again. */
async function postUntilTaken(url: string, callback: unknown): ReturnType<typeof post> {
  const answer = await post(url, callback);
  return answer.status === 503 ? postUntilTaken(url, callback) : answer;
}

const SEED = Number(process.env['PROOF_SEED'] ?? Date.now() % 1_000_000);

describe('Two replicas over one PostgreSQL', () => {
  const random = seededRandom(SEED);
  let server: OwnPostgresServer;
  let url: string;
  let world: ProgramWorld;
  let replicas: [ServeProcess, ServeProcess];

  const dawdle = () => sleep(random() * SLOWEST_ANSWER_MS);
  const slowly = (): SlackFault | undefined =>
    random() < 0.5 ? { kind: random() < 0.5 ? 'delay' : 'answer_late', until: dawdle } : undefined;

  before(async () => {
    server = await startOwnPostgres();
  });

  after(() => server.close());

  const open = async (settings: { receiver?: string; delivery?: string } = {}) => {
    url = await server.createDatabase();
    world = await createProgramWorld({ ...settings, store: url, faultOf: slowly });
    replicas = await Promise.all([world.start(), world.start()]);
  };

  afterEach(() => world.close());

  const inTurn = () => {
    let turn = 0;
    return () => {
      turn += 1;
      return replicas[turn % 2 === 0 ? 0 : 1].callbacksUrl;
    };
  };

  const pending = async () => (await deliveriesOfPostgres(url, 'pending')).length;

  it('start at once on an empty database, and tell once what reaches both at the same moment', async () => {
    await open(LONG);
    const callbacks = keyedCallbacks(sized(20, 60));
    const answers = await Promise.all(
      callbacks.flatMap((callback) =>
        replicas.map(({ callbacksUrl }) => postUntilTaken(callbacksUrl, callback)),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    // After a 503, a retry may be answered before Botbell itself has told everybody.
    await until('everybody is told', () => world.told().length >= 2 * callbacks.length);
    expect(world.told().sort()).to.deep.equal(pairsOf(callbacks, DESTINATIONS).sort());
  });

  for (const mode of ['delivered', 'accepted']) {
    it(`lose nothing in \`${mode}\` mode while one of them is killed again and again`, async () => {
      await open({ ...LONG, receiver: `answer_when: ${mode}, ${LONG.receiver}` });
      const callbacks = keyedCallbacks(CALLBACKS);
      const everybody = pairsOf(callbacks, DESTINATIONS);
      const service = new JobService({ urlOf: inTurn(), retryMs: RETRY_MS, concurrency: CONCURRENCY });
      const posted = service.postAll(callbacks);
      const inHandAtKills: ReadonlySet<string>[] = [];
      for (let kill = 0; kill < KILLS; kill += 1) {
        const moment = world.told().length + random() * ((2 * CALLBACKS) / KILLS);
        await until(
          `kill ${kill}, seed ${SEED}`,
          () => world.told().length >= Math.min(moment, everybody.length),
        );
        await sleep(random() * SLOWEST_ANSWER_MS);
        const { pid } = replicas[1];
        replicas[1].kill('SIGKILL');
        await replicas[1].exited();
        inHandAtKills.push(new Set(await deliveriesOfPostgres(url, 'pending', pid)));
        await endClaimsOfPostgres(url, pid);
        replicas[1] = await world.start();
      }
      await posted;
      await until(`everything delivered, seed ${SEED}`, async () => (await pending()) === 0, LONGEST_MS);
      const { missing, repeated } = tally(world.told(), everybody);
      expect(missing, `never told, seed ${SEED}`).to.deep.equal([]);
      const unexplained = [...repeated].filter(
        ([pair, times]) => times > inHandAtKills.filter((each) => each.has(pair)).length,
      );
      expect(unexplained, `told twice without a kill to explain it, seed ${SEED}`).to.deep.equal([]);
      expect(await deliveriesOfPostgres(url, 'delivered')).to.have.members(everybody);
    });
  }

  it('answer 503 while PostgreSQL is stopped, stay alive, and tell everybody once after it is back', async () => {
    await open({ delivery: 'timeout: 15s, take_over_after: 5s' });
    const callbacks = keyedCallbacks(CALLBACKS);
    const everybody = pairsOf(callbacks, DESTINATIONS);
    const service = new JobService({ urlOf: inTurn(), retryMs: RETRY_MS, concurrency: CONCURRENCY });
    const posted = service.postAll(callbacks);
    await until('a third is told', () => world.told().length > everybody.length / 3);
    await server.stop();
    await until('503s', () => service.statuses.filter((status) => status === 503).length > CONCURRENCY);
    for (const { adminUrl } of replicas) {
      const alive = await request(`${adminUrl}/healthz`);
      await alive.body.dump();
      expect(alive.statusCode).to.equal(200);
    }
    await server.start();
    await posted;
    await until('nothing is pending', async () => (await pending()) === 0, LONGEST_MS);
    expect(service.statuses).to.not.include(0);
    const { missing, repeated } = tally(world.told(), everybody);
    expect(missing).to.deep.equal([]);
    expect([...repeated]).to.deep.equal([]);
  });
});
