/** Whoever reads one document finds the others: no link leads nowhere, and each is linked. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import {
  deadLinksIn,
  documentPaths,
  inlineCodeOf,
  linksOf,
  readDocument,
  ROOT,
} from '../support/documents.ts';

describe('The documents', () => {
  for (const path of documentPaths()) {
    it(`have no link in ${path} that leads nowhere`, () => expect(deadLinksIn(path)).to.deep.equal([]));
  }

  it('name only files of the repository that there are', () => {
    const missing = documentPaths().flatMap((path) =>
      inlineCodeOf(readDocument(path))
        .filter((code) => /^(?:src|test|scripts|templates|config|deploy)\/[\w./{},-]+$/.test(code))
        .flatMap((code) => ['en', 'ja'].map((language) => code.replace('{en,ja}', language)))
        .filter((file) => !existsSync(join(ROOT, file)))
        .map((file) => `${path}: ${file}`),
    );
    expect(missing).to.deep.equal([]);
  });

  it('are each found by following links from the README, but for the decisions, which are a folder', () => {
    const found = new Set(['README.md']);
    for (const path of found)
      for (const link of linksOf(readDocument(path)).filter((each) => /^[\w./-]+\.md(?:#|$)/.test(each)))
        found.add(join(dirname(path), link.split('#')[0] ?? ''));
    const documents = documentPaths().filter((path) => !path.startsWith('docs/adr/'));
    expect(documents.filter((path) => !found.has(path))).to.deep.equal([]);
  });

  it('are there that the configs and the files of deploy/ name', () => {
    for (const folder of ['config', 'deploy'])
      for (const path of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
        if (!/\.(?:yaml|example|service)$/.test(path)) continue;
        const named = readFileSync(join(ROOT, folder, path), 'utf8').match(/docs\/[\w./-]+\.md/g) ?? [];
        expect(
          named.filter((page) => !existsSync(join(ROOT, page))),
          path,
        ).to.deep.equal([]);
      }
  });
});
