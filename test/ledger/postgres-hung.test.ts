/** A ledger whose PostgreSQL does not answer: nobody waits longer than they said, and nothing stays claimed in vain. */
import { expect } from 'chai';
import { type Ledger, LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { systemClock } from '../../src/time/clock.ts';
import {
  arrivalOf,
  claimedOf,
  delivered,
  failed,
  idsOf,
  settlementOf,
  target,
  claimAllDue,
} from '../contract/ledger-contract.ts';
import { callbackWith } from '../support/callbacks.ts';
import { lockTable } from '../support/lock-table.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createPostgresStore, type PostgresStore } from '../support/postgres-store.ts';
import { until } from '../support/proof-wait.ts';
import { rejectionOf } from '../support/rejection-of.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const OPS = target('slack:#ops');
const LOG = target('slack:#log');
const WITHIN_MS = 300;
const LATENESS_MS = 3000;

/** So long that no test sees its end. */
const LEASE_MS = 600_000;

describe('a PostgreSQL ledger that does not answer', () => {
  let server: PostgresServer;
  let store: PostgresStore;
  let proxy: TcpProxy;
  let ledger: Ledger;

  before(async () => {
    server = await startPostgres();
  });

  after(() => server.close());

  const optionsOf = (owner: string) => ({
    clock: systemClock,
    owner,
    leaseMs: LEASE_MS,
    takeOverAfterMs: LEASE_MS,
  });
  const arrive = (job_id: string, by = ledger, withinMs = WITHIN_MS) =>
    by.admit(arrivalOf(callbackWith({ job_id }), [OPS, LOG], Date.now()), withinMs);

  beforeEach(async () => {
    store = await createPostgresStore(server);
    const url = new URL(store.url);
    proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(url.port) });
    url.port = String(proxy.port);
    ledger = await openLedger(url.href, optionsOf('one'));
  });

  afterEach(async () => {
    proxy.recover();
    await ledger.close();
    await proxy.close();
    await store.close();
  });

  /** The answer to the next commit gets lost, and all that follows. */
  const loseTheNextCommit = () => {
    proxy.onSent = (text) => {
      if (text.includes('commit\0')) proxy.loseAnswers();
    };
  };

  const recover = () => {
    proxy.onSent = () => undefined;
    proxy.recover();
  };

  it('gives everybody up in the time they gave, however many there are and whatever they ask', async () => {
    await arrive('before');
    proxy.fallSilent();
    const calls: (() => Promise<unknown>)[] = [
      ...Array.from({ length: 200 }, (_, number) => () => arrive(`job-${number}`)),
      () => ledger.settle(settlementOf([delivered(1)]), WITHIN_MS),
      () => ledger.turns.predecessorOf(1, WITHIN_MS),
      () => ledger.deliveriesOf(1, WITHIN_MS),
      () =>
        ledger.refuse(
          { receivedAt: 1, status: 400, detail: '', errors: [], from: '127.0.0.1', body: '' },
          undefined,
          WITHIN_MS,
        ),
    ];
    const begun = performance.now();
    const errors = await Promise.all(calls.map((call) => rejectionOf(call())));
    expect(performance.now() - begun).to.be.below(WITHIN_MS + LATENESS_MS);
    expect(errors.every((error) => error instanceof LedgerUnavailable)).to.equal(true);
  });

  it('has the server end what takes too long, and keeps the connection', async () => {
    await arrive('before');
    const backends = () =>
      store.query(`select pid from pg_stat_activity where application_name = 'botbell' order by pid`);
    const before = await backends();
    const unlock = await lockTable(store.url, 'callbacks');
    await rejectionOf(arrive('job-1', ledger, 1000));
    await unlock();
    await arrive('job-2');
    expect(await backends()).to.deep.equal(before);
  });

  it('releases claims of which it never heard that they were committed: a retry gets them, by whomever', async () => {
    await arrive('before');
    loseTheNextCommit();
    expect(await rejectionOf(arrive('lost'))).to.be.instanceOf(LedgerUnavailable);
    await until('it is committed', async () => (await store.rows('callbacks')).length === 2);
    recover();
    const other = await store.open(optionsOf('other'));
    expect(claimedOf(await arrive('lost', other)), 'still claimed').to.deep.equal([]);
    await until('it is released', async () => {
      await claimAllDue(ledger, 9);
      return claimedOf(await arrive('lost', other)).length === 2;
    });
  });

  it('releases them for a retry that comes to itself as well, before it looks who is to be told', async () => {
    await arrive('before');
    loseTheNextCommit();
    await rejectionOf(arrive('lost'));
    recover();
    await until('the store is back', () =>
      arrive('after').then(
        () => true,
        () => false,
      ),
    );
    const retry = await arrive('lost');
    expect(claimedOf(retry)).to.deep.equal(['slack:#ops', 'slack:#log']);
    await arrive('another');
    expect((await ledger.deliveriesOf(retry.callbackId)).map(({ isClaimed }) => isClaimed)).to.deep.equal([
      true,
      true,
    ]);
  });

  it('releases what the worker claimed without hearing of it', async () => {
    await ledger.settle(settlementOf(idsOf(await arrive('due')).map(failed)));
    await store.passTime(2 * LEASE_MS);
    loseTheNextCommit();
    expect(await rejectionOf(claimAllDue(ledger, 9))).to.be.instanceOf(LedgerUnavailable);
    recover();
    await until('it is claimed anew', () =>
      claimAllDue(ledger, 9).then(
        (due) => due.length === 2,
        () => false,
      ),
    );
  });

  it('releases what failed when that could not be written', async () => {
    const { callbackId, deliveries } = await arrive('job-1');
    const unlock = await lockTable(store.url, 'history');
    const settlement = {
      ...settlementOf(deliveries.map(({ id }) => failed(id))),
      history: { callbackId, attempts: [], answer: ANSWER },
    };
    await rejectionOf(ledger.settle(settlement, WITHIN_MS));
    await unlock();
    const other = await store.open(optionsOf('other'));
    expect(claimedOf(await arrive('job-1', other))).to.deep.equal([]);
    await claimAllDue(ledger, 9);
    expect(claimedOf(await arrive('job-1', other))).to.deep.equal(['slack:#ops', 'slack:#log']);
  });

  it('writes an outcome once of which it did not hear that it was committed', async () => {
    const { callbackId, deliveries } = await arrive('job-1');
    loseTheNextCommit();
    const settlement = {
      ...settlementOf(deliveries.map(({ id }) => delivered(id))),
      history: { callbackId, attempts: deliveries.map(({ id }) => attemptAt(id)), answer: ANSWER },
    };
    expect(await rejectionOf(ledger.settle(settlement, WITHIN_MS))).to.be.instanceOf(LedgerUnavailable);
    recover();
    await until('the store is back', () =>
      ledger.probe().then(
        () => true,
        () => false,
      ),
    );
    expect((await store.rows('deliveries')).map((row) => row['state'])).to.deep.equal([
      'delivered',
      'delivered',
    ]);
    expect(await store.rows('history')).to.have.length(1);
  });

  it('is not ready while a table is locked that a callback is written to', async () => {
    for (const table of ['callbacks', 'deliveries', 'history']) {
      const unlock = await lockTable(store.url, table);
      const begun = performance.now();
      const errors = await Promise.all([ledger.probe(), ledger.probe()].map(rejectionOf));
      expect(errors.every((error) => error instanceof LedgerUnavailable)).to.equal(true);
      expect(performance.now() - begun).to.be.below(2000 + LATENESS_MS);
      await unlock();
      await ledger.probe();
    }
  });

  it('closes in a second all the same', async () => {
    const { deliveries } = await arrive('job-1');
    proxy.fallSilent();
    await rejectionOf(ledger.settle(settlementOf(deliveries.map(({ id }) => delivered(id))), WITHIN_MS));
    const begun = performance.now();
    await ledger.close();
    expect(performance.now() - begun).to.be.below(1000 + LATENESS_MS);
  });

  it('does not start on a server that does not answer, and says so', async () => {
    server.pause();
    try {
      const error = await rejectionOf(openLedger(store.url, optionsOf('two')));
      expect(error.message).to.match(/^the ledger could not be prepared: .*(timeout|time)/);
    } finally {
      server.resume();
    }
  });
});

const ANSWER = { receivedAt: 1, answeredAt: 2, status: 200, result: 'delivered' } as const;

function attemptAt(deliveryId: number) {
  return { deliveryId, startedAt: 1, durationMs: 1, outcome: 'delivered', error: undefined } as const;
}
