/** A Botbell moves to another ledger: what was undelivered is delivered from the copy, and nobody is told twice. */
import { join } from 'node:path';
import { expect } from 'chai';
import { type BridgeWorld, callback, createBridgeWorld } from '../support/bridge-world.ts';
import { runCommand } from '../support/command.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { until } from '../support/proof-wait.ts';

const ROUTES = `
delivery: { attempts_per_request: 1, permanent_attempts: 0 }
default_route: { notify: [{ slack: '#ops' }, { email: ops@example.com }] }
`;

const COUNTS = ['callbacks: 2', 'deliveries: 4 (3 delivered, 1 pending)', 'refused: 1', 'channel_types: 2'];

describe('A Botbell that moves from SQLite to PostgreSQL', () => {
  let server: PostgresServer;
  let url: string;
  let world: BridgeWorld;
  let isSlackDown = false;

  before(async () => {
    server = await startPostgres();
    url = (await server.createDatabase()).replace('postgres@', 'postgres:s3cret-pass@');
    world = await createBridgeWorld(ROUTES, {
      faultOf: () => (isSlackDown ? { kind: 'error', error: 'token_revoked' } : undefined),
    });
  });

  after(async () => {
    await world.close();
    await server.close();
  });

  it('takes along what it has, and says so', async () => {
    const told = callback();
    await world.post(told);
    await world.post({ no: 'callback' });
    isSlackDown = true;
    const { body } = await world.post(callback());
    expect(body.result).to.equal('taken_over');
    const from = `sqlite:${join(world.folder, 'botbell.db')}`;
    const copy = ['copy-ledger', '--from', from, '--to', '${NEW_STORE}'];
    await world.app.stop();
    const wrong = await runCommand(copy, {
      variables: { NEW_STORE: url.replace(/\d+\/botbell/, '1/botbell') },
    });
    expect(wrong.stderr)
      .to.match(/^--to: .*ECONNREFUSED/)
      .and.not.to.include('s3cret-pass');
    const done = await runCommand(copy, { variables: { NEW_STORE: url } });
    expect(done.stdout.split('\n')).to.include.members(COUNTS);
    expect(done.stderr).to.match(/^The copy is whole\. Have store\.url name it/);
    isSlackDown = false;
    await world.restart((yaml) => yaml.replace(/^store: .*$/m, `store: { url: '${url}' }`));
    await until('Slack is told of the second', () => world.slack.messages.length === 2);
    expect((await world.post(told)).body.result).to.equal('duplicate');
    expect([world.slack.messages.length, world.mail.mails.length]).to.deep.equal([2, 2]);
  });
});
