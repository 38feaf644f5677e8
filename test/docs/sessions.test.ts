/** What the documents show of a terminal is what the reader sees: each command is run, and prints what stands below it. */
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import type { RunningApp } from '../../src/app/app.ts';
import { checkCallback } from '../../src/callback/callback.ts';
import { runCommand } from '../support/command.ts';
import { blocksOf, readDocument, ROOT, sessionsIn } from '../support/documents.ts';
import { completedBy, serveConfig } from '../support/started-app.ts';

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
        expect(withoutNewIds(said.trimEnd())).to.equal(withoutNewIds(output));
        expect(code).to.equal(0);
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
