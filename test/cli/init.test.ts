import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { channelTypes } from '../../src/channels/registry.ts';
import { nextSteps } from '../../src/cli/commands/init.ts';
import { wordsIn } from '../../src/cli/words.ts';
import { runCommand } from '../support/command.ts';
import { tempFolder } from '../support/temp-folder.ts';

const ROOT = join(import.meta.dirname, '../..');
const ERROR = join(ROOT, 'config/samples/error.json');

const TEMPLATES = ['README.md', 'short', 'short/card', 'short/card/error.yaml', 'short/card/succeeded.yaml'];
const WRITTEN = [
  '.env.example',
  'botbell.yaml',
  'templates',
  ...TEMPLATES.map((path) => `templates/${path}`),
];

const contentsOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();

describe('botbell init', () => {
  let folder: string;

  /** As whoever has gone there with `cd`. */
  beforeEach(() => {
    folder = tempFolder();
    process.chdir(folder);
  });

  afterEach(() => {
    process.chdir(ROOT);
  });

  const isChecked = async (config: string, ...args: readonly string[]) =>
    expect(await runCommand(['check', '--strict', ...args])).to.include({ code: 0, stdout: `${config}: ok` });

  const textOf = (path: string) => readFileSync(join(folder, path), 'utf8');
  const edit = (path: string, change: (text: string) => string) =>
    writeFileSync(join(folder, path), change(textOf(path)));

  it('writes a config, a list of its variables and templates, which check takes with no variable set', async () => {
    expect((await runCommand(['init'])).code).to.equal(0);
    expect(contentsOf(folder)).to.deep.equal(WRITTEN);
    await isChecked('botbell.yaml');
    await isChecked('botbell.yaml', '--without-secrets', '--config', 'botbell.yaml');
  });

  it('writes to the folder that it is told, and makes it, whatever its name; its files name others where they are', async () => {
    const told = "-my team's BOTs/new";
    const { stdout } = await runCommand(['init', '--', told]);
    expect(contentsOf(join(folder, told))).to.deep.equal(WRITTEN);
    await isChecked(`${told}/botbell.yaml`, '--without-secrets', '--config', `${told}/botbell.yaml`);
    const [, enter = ''] = /^Written to .*\n\n.*\n {2}(cd .*)\n/.exec(stdout) ?? [];
    expect(spawnSync('sh', ['-c', `${enter} && ls botbell.yaml`], { cwd: folder }).status).to.equal(0);
    const config = textOf(`${told}/botbell.yaml`);
    const schema = /^# yaml-language-server: \$schema=(\S+)\n/.exec(config)?.[1] ?? '';
    const example = /(\S+example\.yaml) shows/.exec(config)?.[1] ?? '';
    expect(resolve(told, schema)).to.equal(join(ROOT, 'config/botbell.schema.json'));
    expect(resolve(told, example)).to.equal(join(ROOT, 'config/botbell.example.yaml'));
  });

  it('says which commands come next', async () => {
    const { stdout } = await runCommand(['init']);
    const sample = /send (\S+)\n/.exec(stdout)?.[1] ?? '';
    expect(resolve(folder, sample)).to.equal(ERROR);
    const program = `node ${relative(folder, join(ROOT, 'dist/main.js'))}`;
    const told = stdout.replace(sample, '<sample>').replaceAll(program, '<botbell>');
    expect(told).to.equal(`Written: botbell.yaml, .env.example, templates/

Check the config:
  <botbell> check
Run it. Until botbell.yaml names your Slack, it prints messages instead of sending them:
  <botbell> serve
In another terminal, in the same folder, post a callback as the job service does:
  <botbell> send <sample>
Once your secrets are in .env (copy .env.example), run it with them:
  (set -a; . ./.env; <botbell> serve)`);
    expect(textOf('.env.example')).to.include(`(set -a; . ./.env; ${program} serve)`);
  });

  it('calls the program by its name where a shell finds it, but not where only npx does', async () => {
    for (const [bin, name] of [
      ['bin', 'botbell check'],
      ['node_modules/.bin', 'dist/main.js check'],
    ] as const) {
      mkdirSync(join(folder, bin), { recursive: true });
      writeFileSync(join(folder, bin, 'botbell'), '');
      const variables = { PATH: join(folder, bin) };
      expect((await runCommand(['init', `by-${name.length}`], { variables })).stdout).to.include(name);
    }
  });

  const starters = async (...args: readonly string[]) => {
    for (const lang of ['en', 'ja']) await runCommand(['init', lang, '--lang', lang, ...args]);
    return ['en', 'ja'].map((lang) => parse(textOf(`${lang}/botbell.yaml`)) as Record<string, unknown>);
  };

  it('writes the same config with Japanese comments, for Japanese messages in Tokyo', async () => {
    const [english, japanese] = await starters();
    expect(japanese).to.deep.equal({ ...english, display: { timezone: 'Asia/Tokyo', language: 'ja' } });
    expect(contentsOf(join(folder, 'ja'))).to.deep.equal(WRITTEN);
    const keys = (lang: string) => textOf(`${lang}/.env.example`).match(/^#[A-Z_]+=/gm);
    expect(keys('ja')).to.deep.equal(keys('en'));
    const { stdout } = await runCommand(['init', 'other'], { variables: { LANG: 'ja_JP.UTF-8' } });
    expect(stdout).to.include('設定を確認します。').and.to.include('samples/ja/error.json');
  });

  const TYPES = [...channelTypes.keys()].filter((type) => type !== 'outbox');

  it('writes the channels that are named in place of the outbox, each with an address', async () => {
    for (const written of await starters('--channels', 'teams, email')) {
      expect(Object.keys(written['channels'] as object)).to.deep.equal(['email', 'teams']);
      const operators = [{ email: ['ops@example.com'] }, { teams: 'ops' }];
      expect(written['groups']).to.deep.equal({ operators });
    }
    for (const lang of ['en', 'ja']) {
      const all = ['init', `all-${lang}`, '--lang', lang, '--channels', TYPES.join(',')];
      expect((await runCommand(all)).stdout).to.match(/\n {2}cp \.env\.example \.env\n/);
      const config = `all-${lang}/botbell.yaml`;
      const { groups } = parse(textOf(config)) as { groups: { operators: readonly object[] } };
      expect(groups.operators.flatMap((entry) => Object.keys(entry))).to.have.members(TYPES);
      await isChecked(config, '--without-secrets', '--config', config);
      const unset = textOf(`all-${lang}/.env.example`).match(/^#[A-Z_]+=/gm);
      expect(unset, 'to be filled in').to.deep.equal(['#CALLBACK_TOKEN=', '#ADMIN_PASSWORD=']);
    }
  });

  it('leaves it to the service where a service reads the config: another ledger would be made beside it', () => {
    const place = { botbell: 'botbell', folder: '/etc/botbell', sample: '', isRemote: false };
    const steps = nextSteps(wordsIn({ language: 'en' }), place);
    expect(steps).not.to.match(/serve|\bcd /);
    expect(steps).to.match(/\n {2}botbell check --without-secrets --config \/etc\/botbell\/botbell\.yaml$/);
  });

  it('refuses a channel that there is not, and names the nearest', async () => {
    const stderr = 'error: --channels: there is no teamz; did you mean "teams"?';
    expect(await runCommand(['init', '--channels', 'email,teamz'])).to.include({ code: 2, stderr });
    expect((await runCommand(['init', '--channels', ' ,'])).code).to.equal(2);
    expect(contentsOf(folder)).to.deep.equal([]);
  });

  it('is not what commands take where config/botbell.yaml is there, too', async () => {
    await runCommand(['init']);
    mkdirSync('config');
    writeFileSync('config/botbell.yaml', textOf('botbell.yaml'));
    await isChecked('config/botbell.yaml');
  });

  it('shows in comments how to send to Slack and by mail, and what a route is', async () => {
    await runCommand(['init']);
    edit('botbell.yaml', (text) =>
      text
        .replace(/^ {2}slack: \{ type: outbox.*\n/m, '')
        .replace('# templates:', 'templates:')
        .replace('# slack: {', 'slack: {')
        .replace('# email: {', 'email: {')
        .replace('# - email:', '- email:')
        .replace('# mention_on_error', 'mention_on_error')
        .replace(/^# routes:\n(#.*\n)+/m, (routes) => routes.replaceAll(/^# /gm, '')),
    );
    expect(await runCommand(['check', '--without-secrets', '--strict'])).to.deep.equal({
      code: 0,
      stdout: 'botbell.yaml: ok',
      stderr: 'not set here, and so not checked: CALLBACK_TOKEN, ADMIN_PASSWORD, SLACK_BOT_TOKEN, SMTP_URL',
    });
    const variables = { SLACK_BOT_TOKEN: 'xoxb-1', SMTP_URL: 'smtps://u:p@127.0.0.1' };
    const { stdout: messages } = await runCommand(['preview', ERROR], { variables });
    expect(messages).to.include('email:ops@example.com');
    expect(messages, 'by the set that the route names').to.match(
      /slack:#bot-alerts\n {2}@here\n {2}❌ Invoice import failed\n {2}Task 3, log in: .*\n(\n|$)/,
    );
  });

  it('lists the variables of the config, and no others', async () => {
    await runCommand(['init']);
    const inConfig = [...textOf('botbell.yaml').matchAll(/\$\{([A-Z_]+)(?::-)?\}/g)].map(([, name]) => name);
    const listed = [...textOf('.env.example').matchAll(/^#([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(listed.toSorted()).to.deep.equal(inConfig.filter((name) => name !== 'NAME').toSorted());
  });

  for (const [what, path] of [
    ['a config', 'botbell.yaml'],
    ['a list of variables', '.env.example'],
    ['templates', 'templates/en/slack/error.yaml'],
  ] as const) {
    it(`writes nothing where there are ${what}, and says so`, async () => {
      mkdirSync(resolve(path, '..'), { recursive: true });
      writeFileSync(path, 'mine');
      const before = contentsOf(folder);
      const { code, stdout, stderr } = await runCommand(['init']);
      expect([code, stdout, contentsOf(folder), textOf(path)]).to.deep.equal([1, '', before, 'mine']);
      const [name = ''] = path.split('/');
      expect(stderr).to.equal(
        `nothing was written: this folder has ${name} already; go on with it, or name a folder that is not there yet: botbell init DIR`,
      );
    });
  }

  it('takes a link that leads nowhere for a file', async () => {
    symlinkSync('nowhere', 'botbell.yaml');
    expect((await runCommand(['init'])).stderr).to.include('this folder has botbell.yaml already');
  });

  it('says what cannot be written', async () => {
    writeFileSync('file', 'mine');
    const { code, stdout, stderr } = await runCommand(['init', 'file']);
    expect([code, stdout, textOf('file')]).to.deep.equal([1, '', 'mine']);
    expect(stderr).to.equal('file cannot be written: a part of its path is no folder');
    if (process.platform === 'linux')
      expect((await runCommand(['init', '/proc/none/x', '--lang', 'ja'])).stderr).to.equal(
        '/proc/none/x に書き込めません：フォルダーがありません',
      );
  });
});
