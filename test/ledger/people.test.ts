/** What people read and do, on both databases; none of it goes through a large table. */
import { expect } from 'chai';
import { raw } from 'sql-template-tag';
import type { Tx } from '../../src/ledger/database.ts';
import { describeActions } from '../contract/action-contract.ts';
import { describeArchive } from '../contract/archive-contract.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createPostgresStore } from '../support/postgres-store.ts';
import { Recorded, target } from '../support/recorded.ts';
import { createSqliteStore } from '../support/sqlite-store.ts';
import type { StoreUnderTest } from '../support/store-under-test.ts';

describe('on PostgreSQL', () => {
  let server: PostgresServer;

  before(async () => {
    server = await startPostgres();
  });

  after(() => server.close());

  const createStore = (clock: ManualClock) => createPostgresStore(server, clock);
  describeArchive('PostgreSQL', createStore);
  describeActions('PostgreSQL', createStore);
});

describeArchive('SQLite', createSqliteStore);
describeActions('SQLite', createSqliteStore);

/** Whose rows grow with every callback. */
const LARGE = ['callbacks', 'deliveries', 'history'];

describe('what people ask of SQLite', () => {
  let store: StoreUnderTest;

  beforeEach(() => {
    store = createSqliteStore();
  });

  afterEach(() => store.close());

  it('is looked up by an index, or by a bounded range of ids', async () => {
    const scans: string[] = [];
    const { archive, actions } = new Recorded(planning(store, scans));
    await new Recorded(store).arrive({}, [target('slack:#ops')]);
    for (const filter of [
      {},
      { botId: 'a' },
      { jobId: 'a' },
      { state: 'dead' },
      { state: 'held' },
      { state: 'pending', destination: 'slack:#ops' },
    ] as const)
      await archive.callbacks(filter);
    await archive.story(1);
    await archive.delivery(1);
    await archive.deadLetters();
    await archive.countOpen();
    await archive.destinations(['slack:#ops']);
    await archive.lastRuns([{ botId: 'a' }], 5);
    await archive.bots('', 5);
    await archive.cameSince(0);
    await actions.tally({});
    const { id } = await actions.startBulk({ state: 'dead' }, ACTOR);
    await actions.continueBulk();
    await actions.bulk(id);
    await actions.redeliver(1, ACTOR, false);
    await actions.dismiss(1, ACTOR);
    expect(scans).to.deep.equal([]);
  });
});

const ACTOR = { via: 'api', user: undefined, from: '::1' } as const;

/** Explains each statement before it runs, and notes those that go through all of a large table. */
function planning(store: StoreUnderTest, scans: string[]): StoreUnderTest {
  return {
    ...store,
    call: (operation, args, owner) =>
      store.call((tx: Tx, ...given: typeof args) => operation(explained(tx, scans), ...given), args, owner),
  };
}

function explained(tx: Tx, scans: string[]): Tx {
  const all: Tx['all'] = async (statement) => {
    const inline = statement.values.reduce<string>(
      (text, value) =>
        text.replace('?', () => (typeof value === 'number' ? String(value) : `'${String(value)}'`)),
      statement.sql,
    );
    const plan = await tx.all<{ detail: string }>(raw(`EXPLAIN QUERY PLAN ${inline}`));
    const isScan = ({ detail }: { detail: string }) =>
      LARGE.some((table) => detail === `SCAN ${table}`) && !/min\(id\)|max\(id\)/.test(statement.sql);
    scans.push(...plan.filter(isScan).map(({ detail }) => `${detail}: ${statement.sql}`));
    return tx.all(statement);
  };
  return {
    ...tx,
    all,
    first: async <Row>(statement: Parameters<Tx['first']>[0]) => (await all<Row>(statement))[0],
  };
}
