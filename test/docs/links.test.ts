/** Whoever reads one document finds the others: no link leads nowhere, and the README names each. */
import { expect } from 'chai';
import { deadLinksIn, documentPaths, linksOf, readDocument } from '../support/documents.ts';

describe('The documents', () => {
  for (const path of documentPaths()) {
    it(`have no link in ${path} that leads nowhere`, () => expect(deadLinksIn(path)).to.deep.equal([]));
  }

  it('are each one step from the README, but for the decisions, which are a folder', () => {
    const linked = new Set(linksOf(readDocument('README.md')).map((link) => link.split('#')[0]));
    const documents = documentPaths().filter((path) => !path.startsWith('docs/adr/') && path !== 'README.md');
    expect(documents.filter((path) => !linked.has(path))).to.deep.equal([]);
    expect(linked).to.include('docs/adr');
  });
});
