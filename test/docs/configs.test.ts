/** Whatever part of a config a document shows is one: put into the config that comes with the program, it passes the check. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { runCommand } from '../support/command.ts';
import { blocksOf, documentPaths, readDocument } from '../support/documents.ts';
import { completedBy } from '../support/started-app.ts';
import { tempFolder } from '../support/temp-folder.ts';

const CONFIG = readDocument('config/botbell.yaml');
const SCHEMA = JSON.parse(readDocument('config/botbell.schema.json')) as {
  readonly properties: Readonly<Record<string, unknown>>;
};

/** Templates and manifests are YAML, too, and tested elsewhere. */
function isOfConfig(block: string): boolean {
  const shown: unknown = parse(block);
  if (typeof shown !== 'object' || shown === null) return false;
  return Object.keys(shown).some((key) => key in SCHEMA.properties);
}

const EXAMPLE = 'config/botbell.example.yaml';

const SHOWN = documentPaths()
  .flatMap((path) =>
    blocksOf(readDocument(path), 'yaml')
      .filter((block) => !block.startsWith('# templates/') && isOfConfig(block))
      .map((block, index) => ({ path, block, index })),
  )
  // With each channel that stands in a comment.
  .concat({
    path: EXAMPLE,
    block: readDocument(EXAMPLE).replaceAll(/^ {2}# (\w+: \{ type: .*)$/gm, '  $1'),
    index: 0,
  });

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
