/** Who has no browser is told which tests were left out, and that nothing failed. */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { expect } from 'chai';

const MOCHA = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');

describe('Tests in a real browser', () => {
  it('are left out where there is none, which is said in one line with their number', () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [MOCHA, 'test/browser/hostile-values.test.ts'],
      { env: { ...process.env, CHROMIUM_PATH: '/nowhere/chromium' }, encoding: 'utf8' },
    );
    expect([status, stderr]).to.deep.equal([0, stderr]);
    expect(stdout).to.match(/\b0 passing/);
    expect(stderr.trim()).to.match(
      /^left out: [1-9]\d* tests in a real browser, since there is none here: install Debian’s package chromium, or name a Chromium by CHROMIUM_PATH$/,
    );
  });
});
