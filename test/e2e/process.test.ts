/** The built program as an operator runs it: it starts, drains on SIGTERM, and needs nobody who reads what it prints. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { callback, post } from '../support/bridge-world.ts';
import type { SlackFault } from '../support/faulty-slack.ts';
import { moment } from '../support/moment.ts';
import { MAIN, type ServeProcess } from '../support/process.ts';
import { createProgramWorld, type ProgramWorld, TOKEN } from '../support/program-world.ts';
import { until } from '../support/proof-wait.ts';
import { tempFolder } from '../support/temp-folder.ts';

const NEW_TOKEN = 'xoxb-NEW-SECRET-TOKEN';
const RELOADED = 'the config was loaded again';

describe('The built program', () => {
  let world: ProgramWorld;

  afterEach(() => world.close());

  const start = async (receiver = '') => {
    world = await createProgramWorld({ receiver, notify: `{ slack: '#ops' }, { slack: '#log' }` });
    return world.start();
  };

  const postWhileSlackHas = async ({ callbacksUrl }: ServeProcess, fault: SlackFault) => {
    world.slack.faults.push(fault);
    const inFlight = post(callbacksUrl, callback());
    await until('Slack is asked for both', () => world.slack.calls.length === 2);
    return { inFlight };
  };

  it('finishes what is in flight on SIGTERM, however often it is signalled, answers 503 meanwhile, and exits 0', async () => {
    const botbell = await start();
    const answered = moment();
    const fault = { kind: 'delay', until: () => answered.promise } as const;
    const { inFlight } = await postWhileSlackHas(botbell, fault);
    botbell.kill('SIGTERM');
    await until('it drains', () => botbell.log().includes('stopping'));
    const late = await post(botbell.callbacksUrl, callback());
    expect([late.status, late.headers['retry-after']]).to.deep.equal([503, '30']);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) botbell.kill(signal);
    await until('it says how to force its end', () => botbell.log().includes(`kill -9 ${botbell.pid}`));
    answered.happen();
    expect((await inFlight).body.result).to.equal('delivered');
    expect(await botbell.exited()).to.equal(0);
  });

  it('is gone within answer_within and a second, though Slack never answers what is in flight', async () => {
    const botbell = await start('answer_within: 2s');
    const { inFlight } = await postWhileSlackHas(botbell, { kind: 'hang' });
    botbell.kill('SIGTERM');
    expect((await inFlight).status).to.be.oneOf([200, 504]);
    expect(await botbell.exited()).to.equal(0);
  });

  it('goes on at SIGHUP from its first moment on, and at SIGUSR1, which opens no debugger', async () => {
    world = await createProgramWorld({ notify: `{ slack: '#ops' }` });
    // Its first statements ask for the version; so do packages later.
    const first = `{ get() { process.kill(process.pid, 'SIGHUP'); return '${process.versions.node}'; } }`;
    const hangUp = `Object.defineProperty(process.versions, 'node', ${first});`;
    const preload = `data:text/javascript,${encodeURIComponent(hangUp)}`;
    const botbell = await world.start({ nodeArguments: ['--import', preload] });
    for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) {
      botbell.kill(signal);
      await until(`it says what ${signal} does`, () => botbell.log().includes(`${signal} does nothing here`));
    }
    expect(botbell.log()).not.to.include('Debugger');
    expect((await post(botbell.callbacksUrl, callback())).body.result).to.equal('delivered');
  });

  it('logs to a terminal in short lines with the times of its machine', async () => {
    world = await createProgramWorld({ notify: `{ slack: '#ops' }` });
    const atTerminal = 'data:text/javascript,process.stderr.isTTY=true';
    const botbell = await world.start({ nodeArguments: ['--import', atTerminal] }, { TZ: 'Etc/GMT-14' });
    expect((await post(botbell.callbacksUrl, callback())).body.result).to.equal('delivered');
    const hour = (new Date().getUTCHours() + 14) % 24;
    await until('it logs the callback', () => botbell.log().includes('delivered'));
    expect(botbell.log()).to.match(new RegExp(`^\\[0?(?:${hour}|${(hour + 23) % 24}):.*INFO.*listening`));
  });

  it('still asks after Ctrl+Z and `fg`, and begins a new line when the terminal ends', async () => {
    world = await createProgramWorld();
    await world.start();
    const preload = `process.stdin.isTTY = process.stderr.isTTY = true;
      process.kill = (_pid, signal) => signal === 'SIGTSTP' && process.emit('SIGCONT');`;
    const asking = `data:text/javascript,${encodeURIComponent(preload)}`;
    const config = join(world.folder, 'botbell.yaml');
    const args = ['--import', asking, MAIN, 'redeliver', '1', '--config', config];
    const child = spawn(process.execPath, args, { env: { ...process.env, TERM: 'xterm' } });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await until('it asks', () => said.includes('[y/N]'));
    child.stdin.write('\x1a');
    await until('it asks again', () => said.split('[y/N]').length > 2);
    child.stdin.write('n');
    await until('it shows what is typed', () => said.endsWith('n'));
    child.stdin.end();
    await once(child, 'close');
    expect(said).to.match(/\[y\/N\] [^\n]*\nnothing was changed\n$/);
  });

  it('goes on when an upgrade in place has taken its files away, though it has sent nothing yet', async () => {
    const copy = tempFolder();
    for (const name of ['dist', 'templates', 'config', 'package.json'])
      cpSync(join(MAIN, '../..', name), join(copy, name), { recursive: true });
    symlinkSync(join(MAIN, '../../node_modules'), join(copy, 'node_modules'));
    world = await createProgramWorld();
    const botbell = await world.start({ main: join(copy, 'dist/main.js') });
    rmSync(join(copy, 'dist'), { recursive: true });
    expect((await post(botbell.callbacksUrl, callback())).body.result).to.equal('delivered');
  });

  it('goes on when whoever read its log and its messages is gone', async () => {
    world = await createProgramWorld({ notify: `{ printed: '#log' }` });
    world.rewrite((yaml) => yaml.replace('channels:\n', '$&  printed: { type: outbox, as: slack }\n'));
    const botbell = await world.start();
    botbell.stopReading();
    for (const job_id of ['j-1', 'j-2'])
      expect((await post(botbell.callbacksUrl, callback({ job_id }))).body.result).to.equal('delivered');
    botbell.kill('SIGTERM');
    expect(await botbell.exited()).to.equal(0);
  });

  it('goes by its new config after SIGHUP, tells there what was taken over for a wrong channel, and follows a change by itself', async () => {
    world = await createProgramWorld({
      notify: "{ slack: '#opps' }",
      delivery: 'attempts_per_request: 1, permanent_attempts: 0',
    });
    const tokenFile = join(world.folder, 'token');
    writeFileSync(tokenFile, `${TOKEN}\n`);
    world.rewrite((yaml) => yaml.replace(TOKEN, `\${file:${tokenFile}}`));
    world.tokens.push(NEW_TOKEN);
    const botbell = await world.start();
    const resultOf = async (job: unknown) => (await post(botbell.callbacksUrl, job)).body.result;
    const lines = (words: string) =>
      botbell
        .log()
        .split('\n')
        .filter((line) => line.includes(words));
    expect(await resultOf(callback())).to.equal('taken_over');
    world.rewrite((yaml) => yaml.replace('#opps', '#ops'));
    botbell.kill('SIGHUP');
    const toldThere = () => world.slack.messages.filter(({ channel }) => channel === '#ops');
    await until('the message at the mended address', () => toldThere().length === 1);
    writeFileSync(tokenFile, `${NEW_TOKEN}\n`);
    await until('the rotated secret in force', () => lines(RELOADED).length === 2);
    world.tokens.splice(0, 1);
    expect(await resultOf(callback({ job_id: `job ${TOKEN} ${NEW_TOKEN}` }))).to.equal('delivered');
    await until('the callback in the log', () => lines('job [secret] [secret]').length > 0);
    expect(botbell.log(), 'neither the old nor the new one').not.to.match(/SECRET/);
    expect(lines('"cause":"SIGHUP"'), 'a busy machine may have found that by itself').to.have.length(1);
    expect(lines(RELOADED)[1]).to.include('"cause":"a change of its files"');
  });
});

describe('A demo', () => {
  it('leaves nothing behind where it is stopped by Ctrl-C or by a terminal that closes', async () => {
    const folder = tempFolder();
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
