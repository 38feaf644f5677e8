/** What is undelivered follows the config that is mended, renamed, broken and put right, through the whole of Botbell. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { pino } from 'pino';
import { type SlackStandIn, startSlackStandIn } from '../support/faulty-slack.ts';
import { type BridgeWorld, callback, createBridgeWorld, post } from '../support/bridge-world.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { serve, type ServeProcess } from '../support/process.ts';
import { until } from '../support/proof-wait.ts';
import { tempFolder } from '../support/temp-folder.ts';

const MINUTE_MS = 60_000;

const settings = (route: string) => `
receiver: { listen: '127.0.0.1:0' }
delivery: { attempts_per_request: 1, alerts: [operators] }
groups: { operators: [{ email: [operators@example.com] }] }
routes:
  - bot_id: invoice-import
    notify: [${route}]
`;

interface Line {
  readonly msg: string;
  readonly destination?: string;
  readonly job_id?: string;
}

describe('A config that changes', () => {
  let world: BridgeWorld;
  let lines: Line[];

  const open = async (route: string) =>
    createBridgeWorld(settings(route), {
      logger: pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line) as Line) }),
    });
  /** 502, 502, 200: Botbell's own from then on. */
  const takenOver = async (notification: Record<string, unknown>) => {
    const answers = [];
    for (let post = 0; post < 3; post += 1) {
      const { status, body } = await world.post(notification);
      answers.push(`${status} ${body.result ?? ''}`);
    }
    expect(answers).to.deep.equal(['502 failed', '502 failed', '200 taken_over']);
  };
  const toldAt = (channel: string) =>
    world.slack.messages.filter((message) => message.channel === channel).length;
  const lineOf = (message: RegExp) => lines.find(({ msg }) => message.test(msg));

  beforeEach(() => {
    lines = [];
  });

  afterEach(() => world.close());

  for (const [how, change] of [
    ['at a restart', 'restart'],
    ['while it runs', 'swap'],
  ] as const) {
    describe(how, () => {
      it('has told at the mended address what was taken over for the wrong one', async () => {
        world = await open(`{ slack: '#opps' }`);
        const notification = callback();
        await takenOver(notification);
        await world[change]((yaml) => yaml.replace('#opps', '#ops'));
        await until('the message at the mended address', () => toldAt('#ops') === 1);
        const line = lineOf(/held back/);
        expect(line).to.include({ destination: 'slack:#opps', job_id: notification['job_id'] });
        expect((await world.post(notification)).body.result).to.equal('duplicate');
        expect(await world.metrics()).to.match(/botbell_deliveries_held 1\n/);
      });

      it('has what was told under a channel’s old name not told again under its new one', async () => {
        world = await open(`{ slack: ['#ops', '#lgo'] }`);
        await takenOver(callback());
        expect(toldAt('#ops')).to.equal(1);
        await world[change]((yaml) =>
          yaml
            .replace('slack: { type', 'chat: { type')
            .replace(`{ slack: ['#ops', '#lgo'] }`, `{ chat: ['#ops', '#log'] }`),
        );
        await until('the message at the mended address', () => toldAt('#log') === 1);
        await until('nothing left to do', async () =>
          /botbell_deliveries_pending 0\n/.test(await world.metrics()),
        );
        expect(toldAt('#ops')).to.equal(1);
      });
    });
  }

  it('decides while it runs who may post, how much, and what is read of it', async () => {
    world = await open(`{ slack: '#ops' }`);
    const url = `http://127.0.0.1:${world.app.receiver.port}/callbacks`;
    await world.swap((yaml) =>
      yaml.replace(`receiver: { listen`, `receiver: { token: sesame, max_body: 1kb, listen`),
    );
    expect((await post(url, callback())).status).to.equal(404);
    expect((await post(`${url}/sesame`, callback())).status).to.equal(200);
    expect((await post(`${url}/sesame`, callback({ message: 'x'.repeat(2000) }))).status).to.equal(413);
  });
});

describe('Two replicas on PostgreSQL with different configs', () => {
  const replicas: ServeProcess[] = [];
  let server: PostgresServer;
  let database: pg.Client;
  let slack: SlackStandIn;
  let folder: string;

  const start = async (name: string, route: string, url: string) => {
    const file = join(folder, `${name}.yaml`);
    writeFileSync(
      file,
      `${settings(route)}
admin: { listen: '127.0.0.1:0' }
store: { url: '${url}' }
channels:
  slack: { type: slack, token: xoxb-1, api_url: '${slack.apiUrl}' }
  email: { type: outbox, as: email }`,
    );
    const replica = await serve(file);
    replicas.push(replica);
    return replica;
  };
  /** The store's clock cannot be moved, but what it is compared with can. */
  const pass = (ms: number) =>
    database.query(`
      update processes set loaded_at = loaded_at - ${ms};
      update deliveries set due_at = due_at - ${ms} where state = 'pending'`);
  /** By their heartbeats. */
  const untilAllHaveLooked = async () => {
    const [last] = (
      await database.query<{ seen_at: string }>('select max(seen_at) as seen_at from processes')
    ).rows;
    const later = `select 1 from processes where seen_at <= ${last?.seen_at ?? ''}`;
    await until('a heartbeat of each', async () => (await database.query(later)).rows.length === 0);
  };
  const toldAt = (channel: string) => slack.messages.filter((message) => message.channel === channel).length;

  beforeEach(async () => {
    folder = tempFolder();
    server = await startPostgres();
    slack = await startSlackStandIn({ tokens: ['xoxb-1'], channels: [{ id: 'C0LOG0001', name: '#log' }] });
  });

  afterEach(async () => {
    for (const replica of replicas.splice(0)) {
      replica.kill('SIGKILL');
      await replica.exited();
    }
    await database.end();
    await Promise.all([slack.close(), server.close()]);
  });

  it('route nothing anew, until the one that was loaded last does after fifteen minutes', async () => {
    const url = await server.createDatabase();
    const older = await start('older', `{ slack: '#ops' }`, url);
    const newer = await start('newer', `{ slack: '#log' }`, url);
    database = new pg.Client({ connectionString: url });
    await database.connect();
    const notification = callback();
    for (let time = 0; time < 3; time += 1) await post(older.callbacksUrl, notification);
    const attempted = slack.calls.length;
    expect((await post(newer.callbacksUrl, notification)).body.result).to.equal('taken_over');
    await pass(14 * MINUTE_MS);
    await until('an attempt by the one whose config routes it', () => slack.calls.length > attempted);
    await untilAllHaveLooked();
    expect([toldAt('#log'), `${older.log()}${newer.log()}`.includes('held back')]).to.deep.equal([0, false]);
    // Whichever process comes first attempts it, or routes it anew: it is made due again until it was the newer one.
    await until('the message where the newer config sends it', async () => {
      await pass(MINUTE_MS);
      return toldAt('#log') === 1;
    });
    expect(newer.log()).to.include('held back');
    expect(older.log()).not.to.include('held back');
  });
});
