/** `botbell redeliver`, the built program beside the built service, on the same ledger. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { request } from 'undici';
import { type SlackFault, type SlackStandIn, startSlackStandIn } from '../support/faulty-slack.ts';
import { callback, post } from '../support/bridge-world.ts';
import { deliveriesIn, deliveriesOfJob, endClaimsIn } from '../support/proof-ledger.ts';
import { MAIN, serve, type ServeProcess } from '../support/process.ts';
import { until } from '../support/proof-wait.ts';
import { itAtFullSize } from '../support/test-size.ts';

const TOKEN = 'xoxb-REDELIVER-SECRET';

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe('botbell redeliver', () => {
  let folder: string;
  let config: string;
  let slack: SlackStandIn;
  let running: ServeProcess | undefined;
  let faults: ReadonlyMap<string, SlackFault>;

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
  const ledger = () => join(folder, 'botbell.db');
  const deliveriesOf = (job: string) => deliveriesOfJob(ledger(), job);
  const stateOf = (job: string) =>
    deliveriesOf(job)
      .map(({ state }) => state)
      .join();
  const refuses = (error: string): SlackFault => ({ kind: 'error', error });

  beforeEach(async () => {
    faults = new Map();
    folder = mkdtempSync(join(tmpdir(), 'botbell-redeliver-'));
    config = join(folder, 'botbell.yaml');
    slack = await startSlackStandIn({
      tokens: [TOKEN],
      channels: [{ id: 'C0OPS0001', name: '#ops' }],
      faultOf: ({ args }) => faults.get(String(args?.['channel'])),
    });
    writeFileSync(
      config,
      `receiver: { listen: '127.0.0.1:0', answer_within: 20s }
admin: { listen: '127.0.0.1:0' }
store: { url: 'sqlite:${folder}/botbell.db' }
delivery: { attempts_per_request: 1, permanent_attempts: 0 }
channels: { slack: { type: slack, token: '\${SLACK_TOKEN}', api_url: '${slack.apiUrl}' } }
default_route: { notify: [{ slack: '#ops' }] }
`,
    );
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
    const [dead] = deliveriesOf(job);
    expect(dead).to.include({ destination: 'slack:#ops', state: 'dead' });
    const id = String(dead?.id);

    const refused = await redeliver(id);
    expect(refused.code).to.equal(1);
    expect(refused.stderr)
      .to.include('1 message\nnothing was changed: nobody is at a terminal')
      .and.to.include('--yes');
    expect(stateOf(job)).to.equal('dead');

    faults = new Map();
    const { code, stdout, stderr } = await redeliver(id, '--yes');
    expect(stderr).not.to.include('Error');
    expect([code, stdout]).to.deep.equal([
      0,
      '1 message given back: the service delivers them while it runs\n',
    ]);
    await until('it is delivered', () => stateOf(job) === 'delivered');
    const { stdout: story } = await botbell('why', job);
    expect(story)
      .to.match(/deliver(?:ed)? again|again/i)
      .and.to.include('command line');

    const again = await redeliver(id, '999', '--yes');
    expect(again.code).to.equal(1);
    expect(again.stderr)
      .to.include(`${id} is left alone: it has been delivered; with --again it is sent once more`)
      .and.to.include('999 is left alone: there is none');
    expect(running?.log()).not.to.match(/cannot be used|unforeseen/);
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
    for (let number = 0; number < 150; number += 5) {
      await Promise.all(Array.from({ length: 5 }, () => send()));
    }
    expect(deliveriesIn(ledger(), 'dead')).to.have.length(150);
    faults = new Map();
    const begun = redeliver('--dead', '--yes');
    await stop('SIGKILL');
    expect((await begun).stdout).to.include('150 messages given back');
    await start();
    await stop('SIGKILL');
    endClaimsIn(ledger());
    await start();
    await until('all are delivered', () => deliveriesIn(ledger(), 'delivered').length === 150);
  });
});
