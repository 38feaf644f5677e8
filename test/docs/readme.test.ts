/** The README keeps a newcomer's first minute: what it shows first, and what it names. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkCallback } from '../../src/callback/check-callback.ts';
import { blocksOf, readDocument, ROOT } from '../support/documents.ts';
import { tempFolder } from '../support/temp-folder.ts';

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

  it('has the reader write a config of their own, which passes the check', () => {
    const folder = tempFolder();
    const [, commands = ''] = blocksOf(README, 'sh');
    const run = (line: string, cwd: string) => {
      const args = line.replace('botbell ', '').split(' ');
      return spawnSync(process.execPath, [join(ROOT, 'dist/main.js'), ...args], { cwd, encoding: 'utf8' });
    };
    const [install, init = '', enter, serve] = commands.trim().split('\n');
    expect([install, enter, serve]).to.deep.equal([
      'npm install --global .',
      'cd my-botbell',
      'botbell serve',
    ]);
    expect(run(init, folder).status).to.equal(0);
    expect(readdirSync(join(folder, 'my-botbell'))).to.include('botbell.yaml');
    const check = run('botbell check', join(folder, 'my-botbell'));
    expect([check.status, check.stderr]).to.deep.equal([0, '']);
  });
});
