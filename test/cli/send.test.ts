import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import nock from 'nock';
import { originOf } from '../../src/config/callback-url.ts';
import { runCommand } from '../support/command.ts';
import { tempFolder } from '../support/temp-folder.ts';

const ORIGIN = 'http://botbell.example';
const URL = `${ORIGIN}/callbacks`;
const FILE = 'config/samples/error.json';

describe('The send command', () => {
  beforeEach(() => {
    nock.disableNetConnect();
  });

  afterEach(() => {
    nock.cleanAll();
    nock.enableNetConnect();
  });

  const send = (...args: readonly string[]) => runCommand(['send', FILE, '--url', URL, ...args]);
  const answer = (status: number, headers: Record<string, string> = {}) =>
    nock(ORIGIN, { reqheaders: { 'content-type': 'application/json' } })
      .post('/callbacks', readFileSync(FILE, 'utf8'))
      .reply(status, '{"result":"x"}', headers);

  it('posts the file to the letter, prints the answer and exits 0 on 2xx', async () => {
    const scope = answer(200);
    expect(await send()).to.deep.equal({ code: 0, stdout: '  {"result":"x"}', stderr: 'HTTP 200' });
    expect(scope.isDone()).to.equal(true);
  });

  it('prints an answer of whoever it is so that it forges no line and moves no terminal', async () => {
    const body = 'HTTP 200\n\x1b[1A\x1b[2KHTTP 200\r\u009b\u202e\u2028';
    nock(ORIGIN).post('/callbacks').reply(502, body, { 'retry-after': '30\u009b2J' });
    const { stdout, stderr } = await send();
    expect(stdout.split('\n')).to.deep.equal([
      '  HTTP 200',
      '  \\u001b[1A\\u001b[2KHTTP 200\\u000d\\u009b\\u202e\\u2028',
    ]);
    expect(stderr).to.equal('HTTP 502 (Retry-After: 30\\u009b2J)');
  });

  it('prints the beginning of an answer that is longer than any of Botbell’s', async () => {
    nock(ORIGIN).post('/callbacks').reply(200, 'é'.repeat(3_000_000));
    const { code, stdout } = await send();
    expect([code, stdout.length]).to.deep.equal([0, '  '.length + 1_000_000]);
    expect(stdout).to.match(/^ {2}é+…$/);
  });

  it('posts again while it is not answered 2xx, as often as asked, and says when', async () => {
    answer(502, { 'retry-after': '30' });
    answer(503);
    const last = answer(200);
    const { code, stderr } = await send('--retries', '2', '--interval', '1ms');
    expect(code).to.equal(0);
    expect(stderr).to.include('HTTP 502 (Retry-After: 30)').and.to.include('retry 2 of 2 in 0 s');
    expect(last.isDone()).to.equal(true);
  });

  it('exits 1 when it is never answered 2xx, or not at all, with the reason', async () => {
    answer(502);
    expect((await send()).code).to.equal(1);
    answer(302, { location: `${ORIGIN}/elsewhere` });
    expect((await send()).code).to.equal(1);
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    nock(ORIGIN).post('/callbacks').replyWithError(refused);
    const { code, stderr } = await send();
    expect(code).to.equal(1);
    expect(stderr).to.include(`no answer from ${URL}`).and.to.include('ECONNREFUSED');
  });

  it('logs in at a proxy by what the URL says, and shows the password nowhere', async () => {
    const url = URL.replace('//', '//kenji:s%40cret@');
    const reqheaders = { authorization: `Basic ${Buffer.from('kenji:s@cret').toString('base64')}` };
    nock(ORIGIN, { reqheaders }).post('/callbacks').reply(200);
    expect((await send('--url', url)).code).to.equal(0);
    nock(ORIGIN).post('/callbacks').replyWithError('gone');
    const { stderr } = await send('--url', url);
    expect(stderr)
      .to.match(/^no answer from .*: Error: gone$/)
      .and.not.to.include('cret');
  });

  it('gives it a new job id with --fresh, the same in each retry, and says which', async () => {
    const posted: Record<string, unknown>[] = [];
    const take = (status: number) =>
      nock(ORIGIN)
        .post('/callbacks', (body: Record<string, unknown>) => posted.push(body) > 0)
        .reply(status, '{}');
    const args = ['send', 'config/samples/succeeded.json', '--url', URL, '--fresh'];
    const scopes = [502, 200, 200].map(take);
    const first = await runCommand([...args, '--retries', '1', '--interval', '1ms']);
    expect([first.code, (await runCommand(args)).code]).to.deep.equal([0, 0]);
    expect(scopes.filter((scope) => !scope.isDone())).to.deep.equal([]);
    const sample = JSON.parse(readFileSync('config/samples/succeeded.json', 'utf8')) as { job_id: string };
    const ids = posted.map((body) => String(body['job_id']));
    expect([ids[1], new Set([...ids, sample.job_id]).size]).to.deep.equal([ids[0], 3]);
    expect(first.stderr).to.include(`job ${ids[0]}`);
    expect({ ...posted[0], job_id: sample.job_id }).to.deep.equal(sample);
  });

  it('changes with --fresh no digit of a number and no order of keys', async () => {
    const posted = /^\{"job_id":"[0-9a-f-]{36}","output":\{"b":1\.10,"1":\{"id":12345678901234567890\}\}\}$/;
    const scope = nock(ORIGIN).post('/callbacks', posted).reply(200);
    const { code } = await runCommand(['send', '-', '--url', URL, '--fresh'], {
      stdin: '{"job_id":"j","output":{"b":1.10,"1":{"id":12345678901234567890}}}',
    });
    expect([code, scope.isDone()]).to.deep.equal([0, true]);
  });

  it('refuses to give a job id to what is no JSON object', async () => {
    const { code, stderr } = await runCommand(['send', '-', '--url', URL, '--fresh'], { stdin: '[1]' });
    expect(code).to.equal(1);
    expect(stderr).to.include('--fresh needs a callback');
  });

  it('says which file cannot be read', async () => {
    const run = await runCommand(['send', 'none.json', '--url', URL]);
    expect(run).to.include({ code: 1, stderr: 'none.json cannot be read: it is not there' });
    const endless = await runCommand(['send', '/dev/zero', '--url', URL]);
    expect(endless.stderr).to.include('/dev/zero cannot be read: it is larger than 128 MiB');
  });

  describe('without --url', () => {
    let folder: string;

    beforeEach(() => {
      folder = tempFolder();
    });

    const sendTo = (receiver: string) => {
      const config = join(folder, 'botbell.yaml');
      const rest =
        "channels: { box: { type: outbox, as: slack } }\ndefault_route: { notify: [{ box: '#x' }] }\n";
      writeFileSync(config, `receiver: { ${receiver} }\n${rest}`);
      return runCommand(['send', FILE, '--config', config]);
    };

    it('posts to the receiver of the config, with its first token', async () => {
      const scope = nock('http://127.0.0.1:9999').post('/in/new-0123456789abcdef').reply(200, '{}');
      const { code } = await sendTo(
        'listen: 0.0.0.0:9999, path: /in, token: [new-0123456789abcdef, old-0123456789abcdef]',
      );
      expect([code, scope.isDone()]).to.deep.equal([0, true]);
    });

    it('shows nothing of the token where nobody answers', async () => {
      const { code, stderr } = await sendTo('listen: "[::]:1", token: new-0123456789abcdef');
      expect(code).to.equal(1);
      expect(stderr)
        .to.include('no answer from http://127.0.0.1:1/callbacks/[secret]: ')
        .and.not.to.include('new-');
    });

    it('writes an IPv6 address in brackets', () => {
      expect(originOf({ host: '::1', port: 8080 })).to.equal('http://[::1]:8080');
    });

    it('asks for the URL where the config does not say it', async () => {
      const { code, stderr } = await sendTo('listen: 127.0.0.1:0');
      expect([code, stderr.includes('--url')]).to.deep.equal([1, true]);
    });
  });
});
