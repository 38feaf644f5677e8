/** `botbell redeliver`, the built program beside the built service, on the same ledger. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { request } from 'undici';
import { type SlackFault, type SlackStandIn, startSlackStandIn } from '../support/faulty-slack.ts';
import { callback, post } from '../support/bridge-world.ts';
import { deliveriesIn, endClaimsIn } from '../support/proof-ledger.ts';
import { MAIN, serve, type ServeProcess } from '../support/process.ts';
import { until } from '../support/proof-wait.ts';
import { itAtFullSize } from '../support/test-size.ts';
import { tempFolder } from '../support/temp-folder.ts';

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
  const refuses = (error: string): SlackFault => ({ kind: 'error', error });

  beforeEach(async () => {
    faults = new Map();
    folder = tempFolder();
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
