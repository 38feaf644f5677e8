import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseDocument } from 'yaml';
import { callback, post } from '../support/bridge-world.ts';
import { runCommand } from '../support/command.ts';
import { blocksOf, fences, inlineCodeOf, readDocument, ROOT } from '../support/documents.ts';
import { completedBy, serveConfig } from '../support/started-app.ts';
import { tempFolder } from '../support/temp-folder.ts';

const TEXT = readDocument('docs/operating.md');
const CONFIG = readDocument('config/botbell.yaml');

function shownIn(heading: string): readonly string[] {
  const [, rest = ''] = TEXT.split(`\n${heading}\n`);
  return fences(rest.split('\n## ')[0] ?? '').map(({ content }) => content);
}

describe('The operating guide', () => {
  it('replaces the callback token with nobody turned away: both are taken, then the new one alone', async () => {
    const secrets = join(tempFolder(), 'secrets');
    const write = (name: string, secret: string) => writeFileSync(join(secrets, name), `${secret}\n`);
    mkdirSync(secrets);
    const [shown = ''] = shownIn('## Replace tokens and passwords');
    for (const [, name = ''] of shown.matchAll(/\$\{file:secrets\/([\w-]+)\}/g))
      write(name, name.includes('smtp') ? 'smtp://127.0.0.1' : `first-${name}`);
    write('callback-token-before', 'first-callback-token');
    const config = parseDocument(
      completedBy(CONFIG, shown.replaceAll('${file:secrets/', `\${file:${secrets}/`)),
    );
    // No test asks Slack.
    config.setIn(['channels', 'slack'], { type: 'outbox', as: 'slack' });
    const app = await serveConfig(String(config));
    const statusWith = async (token: string) =>
      (await post(`http://127.0.0.1:${app.receiver.port}/callbacks/${token}`, callback({}))).status;
    const statuses = async () => [
      await statusWith('first-callback-token'),
      await statusWith('second-token-of-it'),
    ];
    try {
      expect(await statuses()).to.deep.equal([200, 404]);
      write('callback-token', 'second-token-of-it');
      expect((await app.reload('test')).isLoaded).to.equal(true);
      expect(await statuses()).to.deep.equal([200, 200]);
      write('callback-token-before', 'second-token-of-it');
      expect((await app.reload('test')).isLoaded).to.equal(true);
      expect(await statuses()).to.deep.equal([404, 200]);
    } finally {
      await app.stop();
    }
  });

  it('copies a ledger while it serves, and restores it: what the copy has is known, what came later is new', async () => {
    const folder = tempFolder();
    const ledger = join(folder, 'data/botbell.db');
    const store = `sqlite:${ledger}`;
    const [copying = '', restoring = ''] = shownIn('## Back up and restore');
    const run = (command: string) => {
      const program = `node ${join(ROOT, 'dist/main.js')}`;
      const input = command.replaceAll(/^botbell(?= )/gm, program);
      const { status, stderr } = spawnSync('sh', ['-e'], { cwd: folder, input, encoding: 'utf8' });
      return { status, stderr };
    };
    mkdirSync(join(folder, 'data'));
    const config = parseDocument(CONFIG);
    config.setIn(['store', 'url'], store);
    writeFileSync(join(folder, 'botbell.yaml'), String(config));
    let served = await serveConfig(CONFIG, { store });
    const send = async (fields: object) =>
      (await post(`http://127.0.0.1:${served.receiver.port}/callbacks`, fields)).body.result;
    const [before, after] = [callback({}), callback({})];
    try {
      expect(await send(before)).to.equal('delivered');
      expect(run(copying)).to.deep.equal({ status: 0, stderr: '' });
      expect(run(copying).status, 'never over a file that is there').to.equal(1);
      expect(await send(after)).to.equal('delivered');
      await served.stop();
      expect(run(restoring)).to.deep.equal({ status: 0, stderr: '' });
      expect(readdirSync(join(folder, 'data'))).to.deep.equal(['botbell.db']);
      served = await serveConfig(CONFIG, { store });
      expect([await send(before), await send(after)]).to.deep.equal(['duplicate', 'delivered']);
    } finally {
      await served.stop();
    }
  });
});

const IN_TROUBLE = `channels: { slack: { type: outbox, as: slack } }
default_route: { on: [error], notify: [{ slack: '#ops' }] }
`;

/** The job that the pages name, and BOTs enough for the incidents that they name. */
const JOB = '4711';
const BOTS = ['ID', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'];

function commandsIn(path: string): string[] {
  const text = readDocument(path);
  const shown = blocksOf(text, 'sh').flatMap((block) => block.split('\n'));
  const named = inlineCodeOf(text).filter((code) => /^botbell \S+ \S/.test(code));
  return [...shown, ...named].filter((line) => line.startsWith('botbell '));
}

/** Apart by blanks, but within quotes. */
const wordsOf = (command: string) =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word = '']) => quoted ?? word).slice(1);

describe('The pages for whoever is in trouble', () => {
  it('name commands that do what is asked of them', async () => {
    const folder = tempFolder();
    const [config, sample] = [join(folder, 'botbell.yaml'), join(folder, 'callback.json')];
    const store = `sqlite:${join(folder, 'botbell.db')}`;
    writeFileSync(config, `store: { url: '${store}' }\n${IN_TROUBLE}`);
    writeFileSync(sample, JSON.stringify(callback({})));
    const service = await serveConfig(IN_TROUBLE, { store });
    try {
      for (const [index, bot_id] of BOTS.entries()) {
        const failed = { ...callback({}), bot_id, job_id: index === 0 ? JOB : `job-${index}`, status: 1 };
        await post(`http://127.0.0.1:${service.receiver.port}/callbacks`, failed);
      }
      const commands = ['docs/trouble.md', 'docs/page.md'].flatMap(commandsIn);
      expect(commands).to.have.length.of.at.least(12);
      for (const command of commands) {
        const args = wordsOf(command).map((word) => (word === 'callback.json' ? sample : word));
        const { code, stderr } = await runCommand([...args, '--config', config]);
        // Something needs somebody, and nothing is dead.
        const isOne = args[0] === 'status' || args[0] === 'redeliver';
        expect([command, code], stderr).to.deep.equal([command, isOne ? 1 : 0]);
      }
    } finally {
      await service.stop();
    }
  });
});
