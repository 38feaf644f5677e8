/** What the README shows is what the reader sees: its commands are run, its configs load, its files and npm scripts exist. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { YAMLMap, parseDocument } from 'yaml';
import { type RunningApp, startApp } from '../src/app/app.ts';
import { channelTypes } from '../src/channels/registry.ts';
import { readConfigInTurns } from '../src/app/read-config.ts';
import { checkProject, projectOf } from '../src/cli/load-project.ts';
import { createLogger } from '../src/observe/logger.ts';
import { systemClock } from '../src/time/clock.ts';
import { runCommand } from './support/command.ts';

const ROOT = join(import.meta.dirname, '..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const CONFIG = readFileSync(join(ROOT, 'config/botbell.yaml'), 'utf8');

/** What the README's service listens on, and the tests' must not. */
const SERVED = 'http://127.0.0.1:8080/';
const OWN_PLACE = `
receiver: { listen: '127.0.0.1:0' }
admin: { listen: 'off' }
store: { url: 'sqlite::memory:' }
`;

interface Session {
  readonly variables: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly output: string;
}

/** Each ```console block: perhaps `$ export <variables>`, then `$ npm run -s botbell -- <args>` and what it prints. */
function sessions(): Session[] {
  const blocks = README.matchAll(
    /```console\n(?:\$ export (?<variables>.*)\n)?\$ npm run -s botbell -- (?<args>.*)\n(?<output>[^]*?)```/g,
  );
  return [...blocks].map(({ groups }) => ({
    args: (groups?.['args'] ?? '').split(' '),
    variables: variablesIn(groups?.['variables'] ?? ''),
    output: (groups?.['output'] ?? '').trimEnd(),
  }));
}

function variablesIn(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value] as const);
  return Object.fromEntries(pairs);
}

/** Ids that are made at random are others each time; those of the samples stay. */
function withoutNewIds(text: string): string {
  return text.replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, (id) =>
    id.startsWith('7d3e0a90') ? id : '<new id>',
  );
}

describe('The README', () => {
  let folder: string;
  let app: RunningApp;

  const configFile = (text: string): string => {
    const file = join(folder, 'botbell.yaml');
    writeFileSync(file, text);
    return file;
  };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'botbell-readme-'));
    const file = configFile(`${CONFIG}${OWN_PLACE}`);
    const { project } = checkProject({ variables: {}, configFile: file });
    if (project === undefined) throw new Error('the config that the README begins with does not load');
    const logger = await createLogger('silent', false, (line) => line);
    app = await startApp({
      ...project,
      readConfig: () => readConfigInTurns(projectOf({ variables: {}, configFile: file })),
      channelTypes,
      clock: systemClock,
      logger,
      version: '0',
      print: () => undefined,
    });
  });

  after(async () => {
    await app.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('shows how to shrink a ledger', () => {
    const [, script = ''] = /node -e '(.*vacuum.*)'/.exec(README) ?? [];
    const file = join(folder, 'large.db');
    const large = new DatabaseSync(file);
    large.exec('create table t (text); insert into t values (zeroblob(1000000)); delete from t');
    large.close();
    const bytes = () => statSync(file).size;
    expect(bytes()).to.be.greaterThan(1_000_000);
    const args = ['-e', script.replace('data/botbell.db', file)];
    expect(spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })).to.include({
      status: 0,
      stderr: '',
    });
    expect(bytes()).to.be.lessThan(20_000);
  });

  it('shows sessions', () => expect(sessions()).to.have.length(5));

  for (const { variables, args, output } of sessions()) {
    it(`shows what \`botbell ${args.join(' ')}\` prints`, async () => {
      const here = args.map((arg) => arg.replace(SERVED, `http://127.0.0.1:${app.receiver.port}/`));
      const { code, stdout, stderr } = await runCommand(here, { variables });
      const isSending = args[0] === 'send';
      const said = isSending ? `${stderr}\n${stdout}` : stdout;
      expect(withoutNewIds(said.trimEnd())).to.equal(withoutNewIds(output));
      expect(code).to.equal(0);
    });
  }

  it('shows configs that load, completed by the one that is there', async () => {
    const blocks = [...README.matchAll(/```yaml\n([^]*?)```/g)].map(([, text = '']) => text);
    expect(blocks).to.have.length(2);
    const variables = {
      SLACK_BOT_TOKEN: 'xoxb-1',
      SMTP_URL: 'smtp://127.0.0.1',
      CALLBACK_TOKEN: '0123456789abcdef0123456789abcdef',
    };
    for (const block of blocks) {
      const whole = parseDocument(CONFIG);
      const { contents } = parseDocument(block);
      if (!(contents instanceof YAMLMap)) throw new Error('no map');
      for (const { key, value } of contents.items) whole.set(key, value);
      const { code, stderr } = await runCommand(['check', '--config', configFile(String(whole))], {
        variables,
      });
      expect([code, stderr]).to.deep.equal([0, '']);
    }
  });

  it('names only npm scripts and files that there are', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = [...README.matchAll(/npm run (?:-s )?(?<script>[\w:]+)/g)].map(
      ({ groups }) => groups?.['script'] ?? '',
    );
    expect(named.filter((script) => !(script in scripts))).to.deep.equal([]);
    const links = [...README.matchAll(/\]\((?<path>[^)#:]+)\)/g)].map(({ groups }) => groups?.['path'] ?? '');
    expect(links.filter((path) => !existsSync(join(ROOT, path)))).to.deep.equal([]);
  });

  it('names every command that there is, in its table', async () => {
    const { stdout } = await runCommand(['--help']);
    const commands = [...stdout.matchAll(/^ {2}(\w+)(?: \[options\])?(?: <\w+>)? {2,}/gm)].map(
      ([, name = '']) => name,
    );
    for (const command of commands.filter((name) => name !== 'help'))
      expect(README).to.match(new RegExp(`^\\| \`${command}[ \`]`, 'm'));
    expect(commands).to.include.members(['serve', 'send', 'demo']);
  });
});
