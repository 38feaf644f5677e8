/** docs/trouble.md and docs/page.md: what they tell the reader to run works beside a service in trouble. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { callback, post } from '../support/bridge-world.ts';
import { runCommand } from '../support/command.ts';
import { blocksOf, inlineCodeOf, readDocument } from '../support/documents.ts';
import { serveConfig } from '../support/started-app.ts';
import { tempFolder } from '../support/temp-folder.ts';

const CONFIG = `channels: { slack: { type: outbox, as: slack } }
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
    writeFileSync(config, `store: { url: '${store}' }\n${CONFIG}`);
    writeFileSync(sample, JSON.stringify(callback({})));
    const service = await serveConfig(CONFIG, { store });
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
