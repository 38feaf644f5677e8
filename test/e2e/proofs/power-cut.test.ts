/** The power fails the moment after an answer: what was answered while somebody was still to be told is on disk. */
import { expect } from 'chai';
import { sql } from 'kysely';
import type { SlackFault } from '../../../src/demo/slack-faults.ts';
import { openSqlite } from '../../../src/ledger/sqlite.ts';
import { systemClock } from '../../../src/time/clock.ts';
import { Deadline } from '../../../src/time/deadline.ts';
import { post } from '../../support/bridge-world.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { keyedCallbacks, pairsOf, tally } from '../../support/proof-tally.ts';
import { until } from '../../support/proof-wait.ts';
import { createProofWorld, DESTINATIONS, type ProofWorld } from '../../support/proof-world.ts';

const CALLBACKS = 20;

/** SQLite, "PRAGMA synchronous". */
const NORMAL = 1;
const FULL = 2;

describe('A power cut', function () {
  this.timeout(30_000);
  let server: PostgresServer;
  let world: ProofWorld | undefined;
  let fault: SlackFault | undefined;

  before(async () => {
    server = await startPostgres();
  });

  after(() => server.close());

  afterEach(async () => {
    await world?.close();
    world = undefined;
  });

  for (const { name, receiver, slack, status } of [
    {
      name: 'an `accepted`',
      receiver: 'answer_when: accepted',
      slack: { kind: 'hang' },
      status: 200,
    },
    {
      name: 'a 502',
      receiver: 'answer_when: delivered',
      slack: { kind: 'status', status: 503 },
      status: 502,
    },
    {
      name: 'a 504',
      receiver: 'answer_when: delivered, answer_within: 1s',
      slack: { kind: 'hang' },
      status: 504,
    },
  ] as const) {
    it(`the moment after ${name} loses nothing, though the service never posts again`, async () => {
      const store = await server.createDatabase();
      const delivery = 'take_over_after: 1s, attempts_per_request: 1';
      world = await createProofWorld({ store, receiver, delivery, faultOf: () => fault });
      fault = slack;
      const victim = await world.start();
      const callbacks = keyedCallbacks(CALLBACKS);
      const answers = await Promise.all(callbacks.map((callback) => post(victim.callbacksUrl, callback)));
      victim.kill('SIGKILL');
      await Promise.all([server.crash(), victim.exited()]);
      const statuses = answers.map((answer) => answer.status);
      expect(statuses).to.include(status);
      // On a slow machine the answer may be due before Slack was asked.
      expect(statuses.filter((each) => each !== status && each !== 502)).to.deep.equal([]);
      expect(world.slack.messages).to.deep.equal([]);
      fault = undefined;
      await server.start();
      await world.start();
      const expected = pairsOf(callbacks, DESTINATIONS);
      const { told } = world;
      await until('everybody is told', () => tally(told(), expected).missing.length === 0);
    });
  }

  it('finds in SQLite what was to be flushed, and costs no flush where there is no need', async () => {
    const { db, traits } = openSqlite(':memory:');
    const levelOf = (isDurable: boolean) =>
      traits.transact(db, { isDurable, deadline: new Deadline(systemClock, 1000) }, async (trx) => {
        const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(trx);
        return rows[0]?.synchronous;
      });
    expect([await levelOf(false), await levelOf(true), await levelOf(false)]).to.deep.equal([
      NORMAL,
      FULL,
      NORMAL,
    ]);
    await db.destroy();
  });
});
