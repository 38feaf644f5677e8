/** The built program as an operator runs it: it starts, drains on SIGTERM, survives kill -9, and keeps its secrets. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { request } from 'undici';
import { type SlackStandIn, startSlackStandIn } from '../support/faulty-slack.ts';
import { callback, post } from '../support/bridge-world.ts';
import { moment } from '../support/moment.ts';
import { MAIN, serve, type ServeOptions, type ServeProcess } from '../support/process.ts';
import { endClaimsIn } from '../support/proof-ledger.ts';
import { IS_FULL } from '../support/test-size.ts';
import { tempFolder } from '../support/temp-folder.ts';

const TOKEN = 'xoxb-PROCESS-SECRET';
const CALLBACK_TOKEN = 'a-long-callback-token-that-nobody-guesses';

/** Another process is waited for by looking, now and then. */
const soon = () => new Promise((resolve) => setTimeout(resolve, 10));

async function metricsOf({ adminUrl }: ServeProcess): Promise<string> {
  const { body } = await request(`${adminUrl}/metrics`);
  return body.text();
}

describe('The built program', () => {
  let folder: string;
  let slack: SlackStandIn;
  let config: string;
  let running: ServeProcess | undefined;

  beforeEach(async () => {
    folder = tempFolder();
    slack = await startSlackStandIn({
      tokens: [TOKEN],
      channels: [
        { id: 'C0OPS0001', name: '#ops' },
        { id: 'C0LOG0001', name: '#log' },
      ],
    });
    config = join(folder, 'botbell.yaml');
    writeFileSync(
      config,
      `receiver: { listen: '127.0.0.1:0', token: '\${CALLBACK_TOKEN}' }
admin: { listen: '127.0.0.1:0' }
store: { url: 'sqlite:${folder}/botbell.db' }
channels: { slack: { type: slack, token: '\${SLACK_TOKEN}', api_url: '${slack.apiUrl}' } }
default_route: { notify: [{ slack: '#ops' }, { slack: '#log' }] }
`,
    );
  });

  afterEach(async () => {
    running?.kill('SIGKILL');
    await running?.exited();
    running = undefined;
    await slack.close();
  });

  const start = async (options?: ServeOptions) => {
    running = await serve(config, { SLACK_TOKEN: TOKEN, CALLBACK_TOKEN }, options);
    return running;
  };

  const urlOf = ({ callbacksUrl }: ServeProcess) => callbacksUrl.replace('<token>', CALLBACK_TOKEN);

  /** Slack answers it when it is released. */
  const postedWhileSlackIsSlow = async (botbell: ServeProcess) => {
    const answered = moment();
    slack.faults.push({ kind: 'delay', until: () => answered.promise });
    const inFlight = post(urlOf(botbell), callback());
    while (slack.calls.length < 2) await soon();
    return { inFlight, release: () => answered.happen() };
  };

  it('finishes what is in flight on SIGTERM, answers 503 to what comes meanwhile, and exits 0', async () => {
    const botbell = await start();
    const { inFlight, release } = await postedWhileSlackIsSlow(botbell);
    botbell.kill('SIGTERM');
    while (!botbell.log().includes('stopping')) await soon();
    const late = await post(urlOf(botbell), callback());
    expect([late.status, late.headers['retry-after']]).to.deep.equal([503, '30']);
    release();
    expect((await inFlight).body.result).to.equal('delivered');
    expect(await botbell.exited()).to.equal(0);
  });

  it('drains as if it had been signalled once, however often it is, and says how to force its end', async () => {
    const botbell = await start();
    const { inFlight, release } = await postedWhileSlackIsSlow(botbell);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGTERM', 'SIGINT'] as const) {
      botbell.kill(signal);
      await soon();
    }
    while (!botbell.log().includes(`kill -9 ${botbell.pid}`)) await soon();
    release();
    expect((await inFlight).body.result).to.equal('delivered');
    expect(await botbell.exited()).to.equal(0);
  });

  it('is gone within answer_within and a second, and takes over what waited for Slack’s pace', async () => {
    writeFileSync(
      config,
      readFileSync(config, 'utf8').replace(
        "listen: '127.0.0.1:0', token",
        "answer_within: 2s, listen: '127.0.0.1:0', token",
      ),
    );
    const botbell = await start();
    slack.faults.push({ kind: 'rate_limited', retryAfter: '1' }, { kind: 'hang' });
    const inFlight = post(urlOf(botbell), callback());
    while (slack.calls.length < 2) await soon();
    const begun = performance.now();
    botbell.kill('SIGTERM');
    const answer = await inFlight;
    expect(await botbell.exited()).to.equal(0);
    if (IS_FULL) expect(performance.now() - begun).to.be.below(4500);
    expect(answer.status).to.be.oneOf([200, 504]);
    expect(slack.calls, 'nothing was attempted any more').to.have.length(2);
  });

  it('goes on when whoever read its log and its messages is gone', async () => {
    const printed = readFileSync(config, 'utf8')
      .replace('channels: { ', 'channels: { printed: { type: outbox, as: slack }, ')
      .replace("{ slack: '#log' }", "{ printed: '#log' }");
    writeFileSync(config, printed);
    const botbell = await start();
    botbell.stopReading();
    for (const job_id of ['j-1', 'j-2']) {
      expect((await post(urlOf(botbell), callback({ job_id }))).body.result).to.equal('delivered');
    }
    botbell.kill('SIGTERM');
    expect(await botbell.exited()).to.equal(0);
  });

  it('tells after kill -9 and a restart only who had not been told', async () => {
    const first = await start();
    slack.faults.push({ kind: 'hang' });
    const sent = callback();
    const lost = post(urlOf(first), sent).catch(() => 'lost');
    while (!(await metricsOf(first)).includes('botbell_deliveries_pending 1')) await soon();
    first.kill('SIGKILL');
    expect(await lost).to.equal('lost');
    await first.exited();
    const second = await start();
    const answer = await post(urlOf(second), sent);
    // Until the claim of the first one ends, it may be sending.
    expect([answer.status, answer.body.result]).to.deep.equal([200, 'taken_over']);
    endClaimsIn(join(folder, 'botbell.db'));
    while (slack.messages.length < 2) await soon();
    expect(slack.messages.map(({ channel }) => channel).sort((a, b) => a.localeCompare(b))).to.deep.equal([
      '#log',
      '#ops',
    ]);
  });

  it('leaves nothing of a demo behind that is stopped by Ctrl-C or by a terminal that closes', async () => {
    for (const signal of ['SIGINT', 'SIGHUP'] as const) {
      const demo = spawn(process.execPath, [MAIN, 'demo', '--stay'], {
        env: { ...process.env, TMPDIR: folder, DEMO_PORT: '0', DEMO_ADMIN_PORT: '0' },
      });
      const exited = once(demo, 'exit');
      let said = '';
      demo.stdout.on('data', (chunk: Buffer) => {
        if (!said.includes('1. ') && (said += chunk.toString()).includes('1. ')) demo.kill(signal);
      });
      expect([signal, await exited]).to.deep.equal([signal, [0, null]]);
      expect(readdirSync(folder).filter((name) => name.startsWith('botbell-demo-'))).to.deep.equal([]);
    }
  });
});
