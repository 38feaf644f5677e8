/** The README keeps a newcomer's first minute: what it shows first, and what it names. */
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { checkCallback } from '../../src/callback/check-callback.ts';
import { blocksOf, readDocument, ROOT } from '../support/documents.ts';

const README = readDocument('README.md');

const FIRST_LINES = 45;

describe('The README', () => {
  it(`shows in its first ${FIRST_LINES} lines what comes in, and the command that shows what goes out, with what it prints`, () => {
    const beginning = README.split('\n').slice(0, FIRST_LINES).join('\n');
    const [posted = ''] = blocksOf(README, 'sh');
    expect(beginning).to.include(posted);
    const body: unknown = JSON.parse(/'(\{[^']*\})'/.exec(posted)?.[1] ?? '');
    expect(checkCallback(body, 'UTC').callback.bot_id).to.equal('invoice-import');
    const [demo = ''] = blocksOf(README, 'console');
    expect(beginning).to.include(demo);
    expect(demo).to.match(/^\$ npm run demo -- --stay\n/);
    const { stdout } = spawnSync(process.execPath, ['dist/main.js', 'demo'], { cwd: ROOT, encoding: 'utf8' });
    expect(stdout).to.include(demo.replace(/^.*\n/, '').replace(/\n…\n[^]*$/, ''));
  });
});
