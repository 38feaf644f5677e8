/** What the documents show of a terminal is what the reader sees: each command is run, and prints what stands below it. */
import { expect } from 'chai';
import { runCommand } from '../support/command.ts';
import { blocksOf, readDocument, sessionsIn } from '../support/documents.ts';
import type { RunningApp } from '../../src/app/app.ts';
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
