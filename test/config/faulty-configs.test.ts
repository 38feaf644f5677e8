/**
 * What a faulty config is told. test/fixtures/configs holds one config a fault, named after it, and beside it what is
 * said of it, as `line:column: message`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { formatProblem } from '../../src/config/problems.ts';
import { loadFixture, SECRET } from './load-fixture.ts';

const FIXTURES = 'test/fixtures/configs';

/** These load, with warnings; all others are refused. */
const VALID = new Set(['doubtful-but-valid', 'doubtful-rules', 'short-token']);

const names = readdirSync(FIXTURES)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.slice(0, -'.yaml'.length));

function fileOf(name: string): string {
  return `${FIXTURES}/${name}.yaml`;
}

function told(name: string): string[] {
  return loadFixture(fileOf(name)).problems.map(formatProblem);
}

function expected(name: string): string[] {
  const lines = readFileSync(`${FIXTURES}/${name}.txt`, 'utf8').trimEnd().split('\n');
  return lines.map((line) => `${fileOf(name)}:${line}`);
}

describe('A faulty config', () => {
  for (const name of names.filter((each) => !VALID.has(each))) {
    it(`is refused with everything that is wrong, and where: ${name}`, () => {
      expect(told(name)).to.deep.equal(expected(name));
      expect(loadFixture(fileOf(name)).config).to.equal(undefined);
    });
  }

  it('is not echoed where its values come from variables or files', () => {
    const lines = told('bad-values-from-outside');
    expect(lines.length).to.be.greaterThan(15);
    expect(lines.join('\n')).not.to.include(SECRET);
  });

  it('is not echoed where YAML takes a password for syntax', () => {
    const lines = ['password-read-as-alias', 'password-read-as-tag', 'bad-store-url', 'bad-proxy'].flatMap(
      told,
    );
    expect(lines).to.have.length(4);
    expect(lines.join('\n')).not.to.include('hunter2');
  });
});

describe('A doubtful config', () => {
  for (const name of VALID) {
    it(`loads with its warnings: ${name}`, () => {
      expect(told(name)).to.deep.equal(expected(name));
      expect(loadFixture(fileOf(name)).config).not.to.equal(undefined);
    });
  }
});
