/** `botbell redeliver`, the built program beside the built service, on the same ledger. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { request } from 'undici';
import type { SlackFault } from '../../src/stand-ins/slack-faults.ts';
import { type SlackStandIn, startSlackStandIn } from '../../src/stand-ins/slack-stand-in.ts';
import { callback, post } from '../support/bridge-world.ts';
import { MAIN, serve, type ServeProcess } from '../support/process.ts';
import { until } from '../support/proof-wait.ts';
import { itAtFullSize } from '../support/test-size.ts';

const TOKEN = 'xoxb-REDELIVER-SECRET';

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Delivery {
  readonly id: number;
  readonly destination: string;
  readonly state: string;
}

describe('botbell redeliver', () => {
  let folder: string;
  let config: string;
  let slack: SlackStandIn;
  let running: ServeProcess | undefined;
  let faults: ReadonlyMap<string, SlackFault>;

  const write = (routes: string) =>
    writeFileSync(
      config,
      `receiver: { listen: '127.0.0.1:0', answer_within: 3s }
admin: { listen: '127.0.0.1:0' }
store: { url: 'sqlite:${folder}/botbell.db' }
delivery: { attempts_per_request: 1, permanent_attempts: 0 }
channels: { slack: { type: slack, token: '\${SLACK_TOKEN}', api_url: '${slack.apiUrl}' } }
${routes}
`,
    );
  const botbell = async (...args: readonly string[]): Promise<Run> => {
    const child = spawn(process.execPath, [MAIN, ...args, '--config', config], {
      env: { ...process.env, SLACK_TOKEN: TOKEN },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, ...output };
  };
  const redeliver = (...args: readonly string[]) => botbell('redeliver', ...args);
  const start = async () => {
    running = await serve(config, { SLACK_TOKEN: TOKEN });
    return running;
  };
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    running?.kill(signal);
    await running?.exited();
    running = undefined;
  };
  /** @returns the job */
  const send = async (fields: Record<string, unknown> = {}) => {
    const sent = callback(fields);
    await post(running?.callbacksUrl ?? '', sent);
    return String(sent['job_id']);
  };
  const deliveriesOf = async (job: string): Promise<readonly Delivery[]> => {
    const { stdout } = await botbell('why', job, '--format', 'json');
    return (JSON.parse(stdout) as { deliveries: Delivery[] }[]).flatMap(({ deliveries }) => deliveries);
  };
  const stateOf = async (job: string) => (await deliveriesOf(job)).map(({ state }) => state).join();
  const refuses = (error: string): SlackFault => ({ kind: 'error', error });

  beforeEach(async () => {
    faults = new Map();
    folder = mkdtempSync(join(tmpdir(), 'botbell-redeliver-'));
    config = join(folder, 'botbell.yaml');
    slack = await startSlackStandIn({
      tokens: [TOKEN],
      channels: [
        { id: 'C0OPS0001', name: '#ops' },
        { id: 'C0LOG0001', name: '#log' },
      ],
      faultOf: ({ args }) => faults.get(String(args?.['channel'])),
    });
    write(`default_route: { notify: [{ slack: '#ops' }] }`);
  });

  afterEach(async () => {
    await stop('SIGKILL');
    await slack.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has a dead letter delivered by the running service at once, and tells the story of it', async () => {
    await start();
    faults = new Map([['#ops', refuses('msg_too_long')]]);
    const job = await send();
    const [dead] = await deliveriesOf(job);
    expect(dead).to.include({ destination: 'slack:#ops', state: 'dead' });
    const id = String(dead?.id);

    const refused = await redeliver(id);
    expect(refused.code).to.equal(1);
    expect(refused.stderr)
      .to.include('1 message\nnothing was changed: nobody is at a terminal')
      .and.to.include('--yes');
    expect(await stateOf(job)).to.equal('dead');

    faults = new Map();
    const { code, stdout, stderr } = await redeliver(id, '--yes');
    expect(stderr).not.to.include('Error');
    expect([code, stdout]).to.deep.equal([
      0,
      '1 message given back: the running service delivers them now\n',
    ]);
    await until('it is delivered', async () => (await stateOf(job)) === 'delivered');
    const { stdout: story } = await botbell('why', job);
    expect(story)
      .to.match(/deliver(?:ed)? again|again/i)
      .and.to.include('command line');

    const again = await redeliver(id, '999', '--yes');
    expect(again.code).to.equal(1);
    expect(again.stderr)
      .to.include(`${id} is left alone: it has been delivered; with --again it is sent once more`)
      .and.to.include('there is no delivery 999');
    expect(running?.log()).not.to.match(/cannot be used|unforeseen/);
  });

  it('gives back all that is dead without a service, which delivers it when it runs', async () => {
    await start();
    faults = new Map([['#ops', refuses('msg_too_long')]]);
    const jobs: string[] = [];
    for (let number = 0; number < 12; number += 1) jobs.push(await send());
    await stop();
    faults = new Map();
    const none = await redeliver('--dead', '--destination', 'slack:#log', '--yes');
    expect([none.code, none.stderr]).to.deep.equal([
      0,
      'nothing that matches is dead or held as no longer routed\n',
    ]);
    const { code, stdout, stderr } = await redeliver(
      '--dead',
      '--destination',
      'slack:#ops',
      '--since',
      '2d',
      '--yes',
    );
    expect(stderr).to.include('12 messages:\n  slack:#ops: 12\n');
    expect([code, stdout]).to.deep.equal([
      0,
      '12 messages given back: no service runs on this ledger at this moment: they are delivered when one does\n',
    ]);
    await start();
    await until('all are told', async () => (await stateOf(jobs.at(-1) ?? '')) === 'delivered');
    await until('all are told', () => slack.messages.length === 12);
  });

  it('marks as done what nobody is to be told of any more', async () => {
    await start();
    faults = new Map([['#ops', refuses('msg_too_long')]]);
    const [one, other] = [await send(), await send()];
    const [letter] = await deliveriesOf(one);
    const single = await redeliver(String(letter?.id), '--dismiss', '--yes');
    expect([single.code, single.stdout]).to.deep.equal([0, '1 message dismissed\n']);
    expect(await stateOf(one)).to.equal('held');
    const all = await redeliver('--dead', '--dismiss', '--yes');
    expect([all.code, all.stdout]).to.deep.equal([0, '1 message dismissed\n']);
    expect(await stateOf(other)).to.equal('held');
    const metrics = await (await request(`${running?.adminUrl}/metrics`)).body.text();
    expect(metrics).to.include('botbell_deliveries_dead 0').and.to.include('botbell_deliveries_held 0');
  });

  it('routes anew what reached nobody, once the config is mended and in force', async () => {
    write(`routes: [{ bot_id: invoice-import, on: [executing], notify: [{ slack: '#ops' }] }]`);
    await start();
    const job = await send();
    expect(await deliveriesOf(job)).to.deep.equal([]);
    const nobody = await redeliver('--route', job, '--yes');
    expect([nobody.code, nobody.stdout]).to.deep.equal([1, '']);
    expect(nobody.stderr).to.include('names nobody');

    write(`routes: [{ bot_id: invoice-import, notify: [{ slack: '#ops' }, { slack: '#log' }] }]`);
    await stop();
    const { code, stdout, stderr } = await redeliver('--route', job, '--yes');
    expect(stderr).to.include('1 callback of job').and.to.include('slack:#ops, slack:#log');
    expect([code, stdout]).to.deep.equal([
      0,
      '2 messages given back: no service runs on this ledger at this moment: they are delivered when one does\n',
    ]);
    await start();
    await until('both are told', async () => (await stateOf(job)) === 'delivered,delivered');
    const done = await redeliver('--route', job, '--yes');
    expect(done.code).to.equal(0);
    expect(done.stderr).to.include('has been told, or will be');
    expect((await redeliver('--route', 'no-such-job', '--yes')).code).to.equal(1);
  });

  it('routes nothing anew by a config that the running service does not have', async () => {
    write(`routes: [{ bot_id: another, notify: [{ slack: '#ops' }] }]`);
    await start();
    const job = await send();
    await stop();
    const mended = `routes: [{ bot_id: invoice-import, notify: [{ slack: '#ops' }] }]`;
    write(`${mended}\nno_such_key: 1`);
    await expectRefusal(job);
    write(`routes: [{ bot_id: another, notify: [{ slack: '#ops' }] }]`);
    await start();
    // As where somebody looks at another file than the service does.
    const own = config;
    config = join(folder, 'other.yaml');
    write(mended);
    const { code, stderr } = await redeliver('--route', job, '--yes');
    expect(code).to.equal(1);
    expect(stderr).to.include('the running service has another config');
    config = own;
    expect(await deliveriesOf(job)).to.deep.equal([]);
  });

  async function expectRefusal(job: string): Promise<void> {
    const { code, stderr } = await redeliver('--route', job, '--yes');
    expect([code, stderr.includes('no_such_key')]).to.deep.equal([1, true]);
  }

  it('says what to do where there is no ledger, and makes none', async () => {
    const { code, stderr } = await redeliver('--dead', '--yes');
    expect(code).to.equal(1);
    expect(stderr).to.include('there is no ledger yet');
    expect((await redeliver('--dead', '--yes')).stderr).to.include('there is no ledger yet');
  });

  itAtFullSize('leaves the service whole that writes at the same time', async () => {
    await start();
    faults = new Map([['#ops', refuses('msg_too_long')]]);
    for (let number = 0; number < 5; number += 1) await send();
    faults = new Map();
    const over = new AbortController();
    const posting = (async () => {
      let count = 0;
      for (; !over.signal.aborted; count += 1) await send();
      return count;
    })();
    for (let round = 0; round < 3; round += 1) expect((await redeliver('--dead', '--yes')).code).to.equal(0);
    over.abort();
    const posted = await posting;
    await until('all are told', () => slack.messages.length === posted + 5);
    expect(running?.log()).not.to.match(/truncated|replaced|cannot be used/);
    await send();
    await stop();
    await start();
    expect((await (await request(`${running?.adminUrl}/readyz`)).body.text()).length).to.be.above(0);
  });

  itAtFullSize(
    'is gone on with by a service that was killed in the midst of it, and by the next one',
    async () => {
      await start();
      faults = new Map([['#ops', refuses('msg_too_long')]]);
      for (let number = 0; number < 350; number += 25) {
        await Promise.all(Array.from({ length: 25 }, () => send()));
      }
      faults = new Map([['#ops', refuses('internal_error')]]);
      const bulk = async (path = '', method: 'GET' | 'POST' = 'GET') => {
        const { statusCode, body } = await request(`${running?.adminUrl}/api/${path}`, { method });
        if (statusCode >= 300) throw new Error(`${statusCode} ${await body.text()}`);
        return (await body.json()) as {
          readonly id: number;
          readonly state: string;
          readonly given: number;
        };
      };
      const { id, state } = await bulk('redeliver?state=dead', 'POST');
      expect(state).to.equal('running');
      await stop('SIGKILL');
      faults = new Map();
      await start();
      await until('all of it is given back', async () => (await bulk(`redeliveries/${id}`)).state === 'done');
      expect((await bulk(`redeliveries/${id}`)).given).to.equal(350);
      await until('all are told', () => slack.messages.length >= 350);
    },
  );

  it('goes on with what it has begun, whenever the service is killed', async () => {
    await start();
    faults = new Map([['#ops', refuses('msg_too_long')]]);
    const jobs: string[] = [];
    for (let number = 0; number < 150; number += 1) jobs.push(await send());
    faults = new Map();
    const begun = redeliver('--dead', '--yes');
    await stop('SIGKILL');
    expect((await begun).stdout).to.include('150 messages given back');
    await start();
    await stop('SIGKILL');
    await start();
    await until('all are told', () => slack.messages.length >= 150);
    expect(await stateOf(jobs.at(-1) ?? '')).to.equal('delivered');
  });
});
