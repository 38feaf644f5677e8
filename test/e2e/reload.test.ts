/** The built program reads its config again while it runs: on SIGHUP, when asked, and when the files have changed. */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { request } from 'undici';
import { type SlackStandIn, startSlackStandIn } from '../support/faulty-slack.ts';
import { callback, post } from '../support/bridge-world.ts';
import { serve, type ServeProcess } from '../support/process.ts';
import { until } from '../support/proof-wait.ts';
import { sized } from '../support/test-size.ts';
import { tempFolder } from '../support/temp-folder.ts';

const OLD_TOKEN = 'xoxb-OLD-SECRET-TOKEN';
const NEW_TOKEN = 'xoxb-NEW-SECRET-TOKEN';
const RELOADED = 'the config was loaded again';
const REFUSED = 'the config was refused';

interface ReloadAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: {
    readonly result?: string;
    readonly config?: string;
    readonly errors?: readonly { readonly file: string; readonly line: number; readonly detail: string }[];
  };
}

const RELOADS = sized(5, 20);

describe('A running Botbell', () => {
  let folder: string;
  let file: string;
  let slack: SlackStandIn;
  let tokens: string[];
  let botbell: ServeProcess;

  const yaml = (routes: string, more = '') => `
receiver: { listen: '127.0.0.1:0' }
admin: { listen: '127.0.0.1:0' }
store: { url: 'sqlite:${folder}/store/botbell.db' }
templates: ${folder}/config/templates
delivery: { attempts_per_request: 1, permanent_attempts: 0 }
channels: { slack: { type: slack, token: '\${file:${folder}/token}', api_url: '${slack.apiUrl}' } }
${more}
routes:
${routes}`;
  const telling = (channel: string) => `  - { bot_id: invoice-import, notify: [{ slack: '${channel}' }] }`;
  const write = (text: string) => writeFileSync(file, text);
  const start = async (text: string, serveArguments: readonly string[] = []) => {
    write(text);
    botbell = await serve(file, {}, { serveArguments });
  };
  const lines = (words: string) =>
    botbell
      .log()
      .split('\n')
      .filter((line) => line.includes(words));
  const untilLogged = (words: string, times = 1) =>
    until(`"${words}" in the log, ${times} times`, () => lines(words).length >= times);
  const toldAt = (channel: string) => slack.messages.filter((message) => message.channel === channel);
  const reload = async (query = '', headers = {}): Promise<ReloadAnswer> => {
    const answer = await request(`${botbell.adminUrl}/-/reload${query}`, { method: 'POST', headers });
    return {
      status: answer.statusCode,
      type: String(answer.headers['content-type']),
      body: (await answer.body.json()) as ReloadAnswer['body'],
    };
  };
  const metric = async (name: string) => {
    const { body } = await request(`${botbell.adminUrl}/metrics`);
    return new RegExp(`^${name}\\S* (\\S+)$`, 'm').exec(await body.text())?.[1];
  };
  const template = (words: string) => `text: '${words} {{ bot_name }}'\nblocks: []\n`;

  beforeEach(async () => {
    folder = tempFolder();
    mkdirSync(join(folder, 'config/templates/en/slack'), { recursive: true });
    mkdirSync(join(folder, 'store'));
    file = join(folder, 'config/botbell.yaml');
    writeFileSync(join(folder, 'token'), `${OLD_TOKEN}\n`);
    tokens = [OLD_TOKEN, NEW_TOKEN];
    slack = await startSlackStandIn({
      tokens,
      channels: [
        { id: 'C0OPS0001', name: '#ops' },
        { id: 'C0LOG0001', name: '#log' },
      ],
    });
  });

  afterEach(async () => {
    botbell.kill('SIGKILL');
    await botbell.exited();
    await slack.close();
  });

  it('goes by its new config after SIGHUP, and has told there what was taken over for a wrong channel', async () => {
    await start(yaml(telling('#opps')));
    expect((await post(botbell.callbacksUrl, callback())).body.result).to.equal('taken_over');
    write(yaml(telling('#ops')));
    botbell.kill('SIGHUP');
    await until('the message at the mended address', () => toldAt('#ops').length === 1);
    expect((await post(botbell.callbacksUrl, callback())).body.result).to.equal('delivered');
    expect(lines(RELOADED)[0]).to.include('"cause":"SIGHUP"');
  });

  it('keeps the last good config when the new one is bad, and says so everywhere but in its readiness', async () => {
    await start(yaml(telling('#ops')));
    const before = await reload();
    expect([before.status, before.body.result]).to.deep.equal([200, 'unchanged']);
    expect(await metric('botbell_config_reload_ok')).to.equal('1');
    const bad = `${yaml(telling('#log'))}\n  - { bot_id: b, notfy: [] }\n`;
    const badLine = bad.split('\n').findIndex((line) => line.includes('notfy')) + 1;
    write(bad);
    const { status, type, body } = await reload();
    expect([status, type]).to.deep.equal([422, 'application/problem+json']);
    const error = body.errors?.find(({ detail }) => detail.includes('notfy'));
    expect([error?.file, error?.line]).to.deep.equal([file, badLine]);
    expect(await metric('botbell_config_reload_ok')).to.equal('0');
    await untilLogged(REFUSED);
    expect(lines(REFUSED)[0]).to.match(new RegExp(`"level":50.*botbell\\.yaml:${badLine}:\\d+: `));
    const ready = await request(`${botbell.adminUrl}/readyz`);
    expect(ready.statusCode).to.equal(200);
    await ready.body.dump();
    expect((await post(botbell.callbacksUrl, callback())).body.result).to.equal('delivered');
    expect(toldAt('#ops')).to.have.length(1);
    expect(await metric(`botbell_config_info{hash="${before.body.config}"}`)).to.equal('1');
    write(yaml(telling('#ops')));
    expect((await reload()).body.result).to.equal('reloaded');
    expect(await metric('botbell_config_reload_ok')).to.equal('1');
  });

  it('takes a secret that was rotated in its file, and shows neither the old nor the new one', async () => {
    await start(yaml(telling('#ops'), 'display: { language: en }'));
    writeFileSync(join(folder, 'token'), `${NEW_TOKEN}\n`);
    await untilLogged(RELOADED);
    tokens.splice(0, 1);
    const hostile = callback({ job_id: `job ${OLD_TOKEN} ${NEW_TOKEN}` });
    expect((await post(botbell.callbacksUrl, hostile)).body.result).to.equal('delivered');
    await untilLogged('job [secret] [secret]');
    expect(botbell.log()).not.to.include('SECRET-TOKEN');
  });

  it('asks for the new admin password from then on', async () => {
    const asking = (password: string) =>
      yaml(telling('#ops')).replace('admin: {', `admin: { password: ${password},`);
    const as = (password: string) => ({
      authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
    });
    await start(asking('the-first-password'));
    expect((await reload('', as('another-password'))).status).to.equal(401);
    write(asking('another-password'));
    expect((await reload('', as('the-first-password'))).status).to.equal(200);
    expect((await reload('', as('the-first-password'))).status).to.equal(401);
    expect((await reload('', as('another-password'))).status).to.equal(200);
  });

  describe('follows its files by itself', () => {
    it('when Kubernetes swaps the folder that config and templates are links into', async () => {
      const mounted = join(folder, 'mounted');
      const version = (name: string, channel: string, words: string) => {
        const place = join(mounted, name);
        mkdirSync(join(place, 'templates/en/slack'), { recursive: true });
        writeFileSync(
          join(place, 'botbell.yaml'),
          yaml(telling(channel)).replace(`${folder}/config/templates`, `${mounted}/templates`),
        );
        writeFileSync(join(place, 'templates/en/slack/error.yaml'), template(words));
      };
      const swapTo = (name: string) => {
        symlinkSync(name, join(mounted, '..data_tmp'));
        renameSync(join(mounted, '..data_tmp'), join(mounted, '..data'));
      };
      version('..one', '#ops', 'One:');
      swapTo('..one');
      for (const name of ['botbell.yaml', 'templates']) symlinkSync(`..data/${name}`, join(mounted, name));
      botbell = await serve(join(mounted, 'botbell.yaml'));
      version('..two', '#log', 'Two:');
      swapTo('..two');
      rmSync(join(mounted, '..one'), { recursive: true });
      await untilLogged(RELOADED);
      expect((await post(botbell.callbacksUrl, callback())).body.result).to.equal('delivered');
      expect(toldAt('#log')[0]?.text).to.match(/^Two: /);
      expect(lines(REFUSED)).to.deep.equal([]);
    });
  });

  /** What timed out, as it may on a busy machine, is not `delivered`. */
  const patient = (channel: string) =>
    yaml(telling(channel))
      .replace('receiver: {', 'receiver: { answer_within: 60s,')
      .replace('delivery: {', 'delivery: { timeout: 50s,');

  it('loses nothing and tells nobody twice while it is reloaded again and again under load', async () => {
    await start(patient('#ops'));
    const jobs = Array.from({ length: 300 }, () => callback());
    const results: (string | undefined)[] = [];
    const posting = (async () => {
      for (let next = 0; next < jobs.length; next += 10) {
        const answers = await Promise.all(
          jobs.slice(next, next + 10).map((job) => post(botbell.callbacksUrl, job)),
        );
        results.push(...answers.map(({ body }) => body.result));
      }
    })();
    for (let time = 0; time < RELOADS; time += 1) {
      write(patient(time % 2 === 0 ? '#log' : '#ops'));
      writeFileSync(join(folder, 'token'), time % 2 === 0 ? NEW_TOKEN : OLD_TOKEN);
      // On a slow machine it may have found the change by itself.
      expect((await reload()).body.result).to.be.oneOf(['reloaded', 'unchanged']);
    }
    await posting;
    await until('nothing left to do', async () => (await metric('botbell_deliveries_pending')) === '0');
    expect(new Set(results)).to.deep.equal(new Set(['delivered']));
    expect(slack.messages).to.have.length(jobs.length);
    expect(new Set([toldAt('#ops').length > 0, toldAt('#log').length > 0])).to.deep.equal(new Set([true]));
  });
});
