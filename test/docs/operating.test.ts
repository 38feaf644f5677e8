/** docs/operating.md: its commands are run as they stand, on a ledger that is being written; its tables name what there is. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { parseDocument } from 'yaml';
import { TEMPLATE_NAMES } from '../../src/notice/notice.ts';
import { createMetrics } from '../../src/observe/metrics.ts';
import { callback, post } from '../support/bridge-world.ts';
import { anchorsOf, fences, headingsOf, readDocument, ROOT } from '../support/documents.ts';
import { completedBy, type ServedConfig, serveConfig } from '../support/served-config.ts';

const TEXT = readDocument('docs/operating.md');
const CONFIG = readDocument('config/botbell.yaml');
const DAY = '2026-01-31';

/** @param heading with its signs */
function sectionOf(heading: string): string {
  const [, rest = ''] = TEXT.split(`\n${heading}\n`);
  const [signs = ''] = heading.split(' ');
  const [section = ''] = rest.split(new RegExp(`\\n#{1,${signs.length}} `));
  return section;
}

function commandsIn(heading: string): string[] {
  return fences(sectionOf(heading)).flatMap(({ language, content }) => (language === 'sh' ? [content] : []));
}

function namesInTable(heading: string): string[] {
  return [...sectionOf(heading).matchAll(/^\| `([^`{]+)/gm)].map(([, name = '']) => name);
}

describe('The operating guide', () => {
  let folder: string;
  let served: ServedConfig | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'botbell-operating-'));
    for (const each of ['botbell', 'my-botbell/data']) mkdirSync(join(folder, each), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'botbell/node_modules'));
  });

  afterEach(async () => {
    await served?.stop();
    served = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  const ledger = () => join(folder, 'my-botbell/data/botbell.db');
  const copyOfIt = () => join(folder, `botbell/botbell-${DAY}.db`);

  /** In the folder where Botbell is installed, at a day that stands still. */
  const run = async (command = '') => {
    const [named] = commandsIn('### SQLite');
    const input = `${named}${command.replaceAll('$(date +%F)', DAY)}`;
    const cwd = join(folder, 'botbell');
    const shell = spawn('sh', ['-e'], { cwd });
    shell.stdin.end(input);
    const [stdout, stderr, [status]] = await Promise.all([
      readText(shell.stdout),
      readText(shell.stderr),
      once(shell, 'close') as Promise<[number | null]>,
    ]);
    return { status, stdout, stderr };
  };

  const serve = async (config: string = CONFIG) => {
    served = await serveConfig(config, { store: `sqlite:${ledger()}` });
    return served;
  };

  const stop = async () => {
    await served?.stop();
    served = undefined;
  };

  const send = async (fields: object) => {
    const url = `http://127.0.0.1:${served?.app.receiver.port}/callbacks`;
    return (await post(url, fields)).body.result;
  };

  it('copies a ledger while it is being written, and restores it: what the copy has is known, what came later is new', async () => {
    const [, copy, verify, restore, ...others] = commandsIn('### SQLite');
    expect(others).to.deep.equal([]);
    const [before, during, after] = [callback({}), callback({}), callback({})];
    await serve();
    expect(await send(before)).to.equal('delivered');
    const underWay = send(during);
    expect(await run(copy)).to.deep.equal({ status: 0, stdout: '', stderr: '' });
    expect(await underWay).to.equal('delivered');
    expect((await run(copy)).stderr).to.include('output file already exists');
    expect(await run(verify)).to.deep.equal({ status: 0, stdout: 'ok\n', stderr: '' });
    expect(statSync(copyOfIt()).mode & 0o077).to.equal(0);
    expect(await send(after)).to.equal('delivered');
    await stop();
    expect(await run(restore)).to.deep.equal({ status: 0, stdout: '', stderr: '' });
    expect(readdirSync(dirname(ledger()))).to.deep.equal(['botbell.db']);
    await serve();
    expect([await send(before), await send(after)]).to.deep.equal(['duplicate', 'delivered']);
  });

  it('returns free pages to the disk', async () => {
    const [shrink] = commandsIn('## How large the store gets');
    const large = new DatabaseSync(ledger());
    large.exec('create table t (text); insert into t values (zeroblob(1000000)); delete from t');
    large.close();
    const bytes = () => statSync(ledger()).size;
    expect(bytes()).to.be.greaterThan(1_000_000);
    expect(await run(shrink)).to.deep.equal({ status: 0, stdout: '', stderr: '' });
    expect(bytes()).to.be.lessThan(20_000);
  });

  it('replaces the callback token with nobody turned away: both are taken, then the new one alone', async () => {
    const secrets = join(folder, 'secrets');
    const write = (name: string, secret: string) => writeFileSync(join(secrets, name), `${secret}\n`);
    mkdirSync(secrets);
    for (const name of namesOfSecrets())
      write(name, name.includes('smtp') ? 'smtp://127.0.0.1' : `first-${name}`);
    write('callback-token-before', 'first-callback-token');
    const shown = shownConfig().replaceAll('${file:secrets/', `\${file:${secrets}/`);
    const { app } = await serve(tellingNobody(completedBy(CONFIG, shown)));
    const statusWith = async (token: string) =>
      (await post(`http://127.0.0.1:${app.receiver.port}/callbacks/${token}`, callback({}))).status;
    const statuses = async () => [
      await statusWith('first-callback-token'),
      await statusWith('second-token-of-it'),
    ];
    expect(await statuses()).to.deep.equal([200, 404]);
    write('callback-token', 'second-token-of-it');
    expect((await app.reload('test')).isLoaded).to.equal(true);
    expect(await statuses()).to.deep.equal([200, 200]);
    write('callback-token-before', 'second-token-of-it');
    expect((await app.reload('test')).isLoaded).to.equal(true);
    expect(await statuses()).to.deep.equal([404, 200]);
  });

  it('shows what is said of the ledger of another version', () => {
    const said = fences(sectionOf('## Upgrade'))
      .map(({ content }) => content.trim())
      .find((content) => content.startsWith('the ledger was'));
    expect(said).not.to.equal(undefined);
    expect(readDocument('src/ledger/schema.ts')).to.include(`'${said}'`);
  });

  it('starts the service as npm does', () => {
    const { scripts } = JSON.parse(readDocument('package.json')) as { scripts: { start: string } };
    const optionsIn = (command: string) => command.match(/--no-[\w-]+|--minor[\w=-]+/g);
    const install = commandsIn('## Install').find((commands) => commands.includes('main.js serve')) ?? '';
    expect(optionsIn(install.slice(install.indexOf('--no-parallel')))).to.deep.equal(
      optionsIn(scripts.start),
    );
  });

  it('names each metric, and none that there is not', async () => {
    const metrics = createMetrics({
      version: '0',
      countOpen: () => Promise.resolve(undefined),
      storeBytes: () => Promise.resolve(undefined),
    });
    const there = [...(await metrics.text()).matchAll(/^# HELP (botbell_\w+)/gm)].map(
      ([, name = '']) => name,
    );
    expect(namesInTable('## Metrics').toSorted()).to.deep.equal(there.toSorted());
  });

  it('names only lines of the log that the program writes', () => {
    const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => readFileSync(join(ROOT, 'src', path), 'utf8'))
      .join('\n');
    const named = namesInTable('## Logs').filter((name) => name !== 'msg');
    expect(named).to.have.length.greaterThan(10);
    expect(named.filter((line) => !sources.includes(`'${line}'`))).to.deep.equal([]);
  });

  it('says what to do at each alert of Botbell’s own', () => {
    const own = TEMPLATE_NAMES.filter((name) => !['succeeded', 'error', 'executing', 'test'].includes(name));
    expect(anchorsOf(TEXT)).to.include.members(own);
    expect(headingsOf(TEXT).map(({ text }) => text)).to.include.members(own);
  });
});

function shownConfig(): string {
  const [shown = ''] = fences(sectionOf('## Replace tokens and passwords')).map(({ content }) => content);
  return shown;
}

function namesOfSecrets(): string[] {
  return [...shownConfig().matchAll(/\$\{file:secrets\/([\w-]+)\}/g)].map(([, name = '']) => name);
}

/** No test asks Slack. */
function tellingNobody(config: string): string {
  const changed = parseDocument(config);
  changed.setIn(['channels', 'slack'], { type: 'outbox', as: 'slack' });
  return String(changed);
}
