/** What documents show is what the reader gets: each command prints what stands below it, and each part of a config passes the check. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import type { RunningApp } from '../../src/app/app.ts';
import { checkCallback } from '../../src/callback/callback.ts';
import { runCommand } from '../support/command.ts';
import { blocksOf, documentPaths, readDocument, ROOT, sessionsIn } from '../support/documents.ts';
import { completedBy, serveConfig } from '../support/started-app.ts';
import { tempFolder } from '../support/temp-folder.ts';

const CONFIG = readDocument('config/botbell.yaml');
const TOKEN = '0123456789abcdef0123456789abcdef';

const CLOUD_BOT = 'docs/senders/cloud-bot.md';
const [CLOUD_BOT_RECEIVER = ''] = blocksOf(readDocument(CLOUD_BOT), 'yaml');

/** By its path: the config that its sessions talk to, and how many there are. */
const DOCUMENTS = {
  'README.md': { config: CONFIG, count: 1 },
  'docs/config.md': { config: CONFIG, count: 2 },
  [CLOUD_BOT]: { config: completedBy(CONFIG, CLOUD_BOT_RECEIVER), count: 1 },
};

/** Ids that are made at random are others each time; those of the samples stay. */
function withoutNewIds(text: string): string {
  return text.replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, (id) =>
    id.startsWith('7d3e0a90') ? id : '<new id>',
  );
}

/** Where the reader's service is, and where it is here. */
function here(arg: string, port: number): string {
  return arg
    .replace(/^(?:http:\/\/127\.0\.0\.1:8080|https:\/\/bots\.example\.com)\//, `http://127.0.0.1:${port}/`)
    .replace('<token>', TOKEN);
}

for (const [path, { config, count }] of Object.entries(DOCUMENTS)) {
  describe(`The sessions in ${path}`, () => {
    const sessions = sessionsIn(readDocument(path));
    let served: RunningApp;

    before(async () => {
      served = await serveConfig(config, { variables: { CALLBACK_TOKEN: TOKEN } });
    });

    after(() => served.stop());

    it('are shown', () => expect(sessions).to.have.length(count));

    for (const [index, { variables, args, output }] of sessions.entries()) {
      it(`show what \`botbell ${args.join(' ')}\` prints (${index + 1})`, async () => {
        const { port } = served.receiver;
        const { code, stdout, stderr } = await runCommand(
          args.map((arg) => here(arg, port)),
          { variables },
        );
        const said = args[0] === 'send' ? `${stderr}\n${stdout}` : stdout;
        expect([withoutNewIds(said.trimEnd()), code]).to.deep.equal([withoutNewIds(output), 0]);
      });
    }
  });
}

const README = readDocument('README.md');

const FIRST_LINES = 52;

describe('The README', () => {
  it(`shows in its first ${FIRST_LINES} lines the commands that run it and test it, what comes in, and what goes out`, () => {
    const beginning = README.split('\n').slice(0, FIRST_LINES).join('\n');
    const [first = '', posted = ''] = blocksOf(README, 'sh');
    expect(first).to.match(/^npm run demo .*\nnpm test .*\n$/);
    expect(beginning).to.include(posted);
    const body: unknown = JSON.parse(/'(\{[^']*\})'/.exec(posted)?.[1] ?? '');
    expect(checkCallback(body, 'UTC').callback.bot_id).to.equal('invoice-import');
    const [demo = ''] = blocksOf(README, 'console');
    expect(beginning).to.include(demo);
    expect(demo).to.match(/^\$ npm run demo -- --stay\n/);
  });

  for (const [language, document] of Object.entries({ en: 'README.md', ja: 'README.ja.md' }))
    it(`shows what the demo prints in the language of its reader: ${document}`, () => {
      const [demo = ''] = blocksOf(readDocument(document), 'console');
      const { stdout } = spawnSync(process.execPath, ['dist/main.js', 'demo', '--lang', language], {
        cwd: ROOT,
        encoding: 'utf8',
      });
      expect(stdout).to.include(demo.replace(/^.*\n/, '').replace(/\n…\n[^]*$/, ''));
    });
});

const { properties } = JSON.parse(readDocument('config/botbell.schema.json')) as { properties: object };

/** Templates and manifests are YAML, too, and tested elsewhere. */
function isOfConfig(block: string): boolean {
  const shown: unknown = parse(block);
  if (typeof shown !== 'object' || shown === null) return false;
  return Object.keys(shown).some((key) => key in properties);
}

const EXAMPLE = 'config/botbell.example.yaml';
/** With each channel that stands in a comment. */
const WITH_ALL = readDocument(EXAMPLE).replaceAll(/^ {2}# (\w+: \{ type: .*)$/gm, '  $1');

const SHOWN = documentPaths()
  .flatMap((path) =>
    blocksOf(readDocument(path), 'yaml')
      .filter((block) => !block.startsWith('# templates/') && isOfConfig(block))
      .map((block, index) => ({ path, block, index })),
  )
  .concat({ path: EXAMPLE, block: WITH_ALL, index: 0 });

describe('The configs that documents show', () => {
  it('are found', () => {
    const documents = new Set(SHOWN.map(({ path }) => path));
    expect(documents).to.include.members(['README.md', 'docs/operating.md', 'docs/senders/cloud-bot.md']);
  });

  for (const { path, block, index } of SHOWN) {
    it(`pass the check: ${path} (${index + 1})`, async () => {
      const file = join(tempFolder(), 'botbell.yaml');
      writeFileSync(file, completedBy(CONFIG, block));
      const { code, stdout } = await runCommand(['check', '--without-secrets', '--config', file]);
      expect([code, stdout.split('\n').at(-1)], stdout).to.deep.equal([0, `${file}: ok`]);
    });
  }
});
