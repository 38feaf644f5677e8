import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { describeLostRows } from '../contract/lost-rows-contract.ts';
import { PipelineWorld } from '../deliver/pipeline-world.ts';
import { failures } from '../deliver/remotes.ts';
import { anew, forAll } from '../support/anew.ts';
import { callbackWith } from '../support/callbacks.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { createPostgresStore } from '../support/postgres-store.ts';
import { createSqliteStore } from '../support/sqlite-store.ts';

const LOSE = 'delete from callbacks; delete from sqlite_sequence';
const NOON = Date.parse('2026-11-20T12:00:00Z');
const CONFIG = `
receiver: { answer_within: 2s }
channels:
  slack: { type: outbox, as: slack }
  email: { type: outbox, as: email }
routes:
  - { bot_id: mail, notify: [{ email: ops@example.com }] }
  - { bot_id: log, notify: [{ slack: '#log' }] }
default_route: { notify: [{ slack: '#ops' }] }
`;

describeLostRows('SQLite', createSqliteStore, LOSE);

describe('on PostgreSQL', () => {
  const server = forAll(() => startPostgres());

  describeLostRows(
    'PostgreSQL',
    () => createPostgresStore(server),
    `delete from callbacks; alter table callbacks alter column id restart;
      alter table deliveries alter column id restart`,
  );
});

describe('a POST of which the store loses the rows', () => {
  const world = anew(() => PipelineWorld.begin(CONFIG, NOON));

  /** @returns its answer to come, once it is being sent and the store knows nothing of it any more */
  const postAndLose = async (bot_id = 'ops') => {
    const answer = world.first
      .handle(callbackWith({ job_id: 'lost', bot_id, start_time: new Date(NOON).toISOString() }))
      .then(
        ({ status }) => status,
        (error: unknown) => (error instanceof LedgerUnavailable ? 503 : error),
      );
    while (world.tried.length === 0) await setImmediate();
    await world.store.run(LOSE);
    await world.clock.advance(1);
    return { answer };
  };
  const statuses = async ({ answer }: { readonly answer: Promise<unknown> }) => world.clock.runUntil(answer);

  it('is answered 200 once all is delivered, and who has got its ids is told as well', async () => {
    world.takes('slack:#ops', 500);
    const lost = await postAndLose();
    expect(await world.post({ job_id: 'other' })).to.include({ status: 200, result: 'delivered' });
    expect(await statuses(lost)).to.equal(200);
    expect(world.told).to.deep.equal(['slack:#ops', 'slack:#ops']);
    expect(await world.states()).to.deep.equal(['delivered']);
  });

  it('has nobody marked as told who was not', async () => {
    world.takes('slack:#ops', 500);
    const lost = await postAndLose();
    world.fails('slack:#log', ...failures(9, 'transient'));
    expect(await world.post({ job_id: 'other', bot_id: 'log' })).to.include({ status: 502 });
    expect(await statuses(lost)).to.equal(200);
    expect(await world.states()).to.deep.equal(['pending']);
  });

  it('is not answered 200 where a mail server has it and does not answer', async () => {
    world.handedOver.add('email:ops@example.com');
    world.takes('email:ops@example.com', 3000);
    expect(await statuses(await postAndLose('mail'))).to.be.oneOf([503, 504]);
  });
});
