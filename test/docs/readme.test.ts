import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { checkCallback } from '../../src/callback/callback.ts';
import { blocksOf, readDocument, ROOT } from '../support/documents.ts';

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
