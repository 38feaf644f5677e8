import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/documents.ts';
import { tempFolder } from '../support/temp-folder.ts';

const CHANGELOG = `# Changelog

## 1.10.0 (unreleased)

- soon

## 1.1.0 (2026-12-01)

- [Upgrading](UPGRADING.md#to-110), [more](https://example.com/)

## 1.0.0

- first
`;

describe('The notes of a release', () => {
  const file = join(tempFolder(), 'CHANGELOG.md');
  before(() => writeFileSync(file, CHANGELOG));

  function notesOf(...args: readonly string[]) {
    const script = join(ROOT, 'scripts/release-notes.mjs');
    return spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
  }

  it('are the section of its version alone, with links that lead to the repository at its tag', () => {
    expect(notesOf('v1.1.0', file).stdout).to.equal(
      '- [Upgrading](https://github.com/botbell/botbell/blob/v1.1.0/UPGRADING.md#to-110), [more](https://example.com/)\n',
    );
    expect(notesOf('1.0.0', file).stdout).to.equal('- first\n');
  });

  it('are, before a release, what is said of it so far, with links to what it was made of', () => {
    expect(notesOf('v1.10.0-rc.1', file).stdout).to.equal('- soon\n');
    expect(notesOf('v1.1.0-rc.2', file).stdout).to.include('/blob/v1.1.0-rc.2/UPGRADING.md');
  });

  for (const tag of ['v1.10.0', 'v1.1', 'v2.0.0', 'v2.0.0-rc.1', ''])
    it(`are refused where the CHANGELOG has no release ${tag || 'of no name'}`, () => {
      const { status, stdout, stderr } = notesOf(tag, file);
      expect([status, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.include('it has 1.10.0 (unreleased), 1.1.0 (2026-12-01), 1.0.0');
    });
});
