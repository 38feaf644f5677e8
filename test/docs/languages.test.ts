/** A page in Japanese says what the English one says, and leads to it. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import {
  documentPaths,
  fences,
  headingsOf,
  inlineCodeOf,
  linksOf,
  readDocument,
  ROOT,
} from '../support/documents.ts';

const PAGES = documentPaths().filter((path) => path.endsWith('.ja.md'));

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Comments in a block are for the reader, in the page's language. */
const withoutComments = (text: string) => text.replaceAll(/ # .*$/gm, '');

/** Where the Japanese page leads for a link of the English one, but for the anchor: headings are in the page's language. */
function inJapanese(link: string, english: string, japanese: string): string {
  const [path = ''] = link.split('#');
  if (path === nameOf(japanese)) return nameOf(english);
  const translated = path.replace(/\.md$/, '.ja.md');
  return existsSync(join(ROOT, dirname(english), translated)) ? translated : path;
}

for (const japanese of PAGES) {
  const english = japanese.replace('.ja.md', '.md');
  const [text, original] = [readDocument(japanese), readDocument(english)];

  describe(japanese, () => {
    it('leads to the English page in its first lines, which leads back', () => {
      expect(text.split('\n')[2]).to.equal(`[English](${nameOf(english)})`);
      expect(original.split('\n')[2]).to.equal(`[日本語](${nameOf(japanese)})`);
    });

    it('is the same as in English: sections, blocks, pictures, links, and what is code', () => {
      const levels = (page: string) => headingsOf(page).map(({ level }) => level);
      const blocks = (page: string) =>
        fences(page).map(({ language, content }) => [language, withoutComments(content)]);
      const paths = linksOf(text).map((link) => link.split('#')[0] ?? '');
      expect(levels(text)).to.deep.equal(levels(original));
      expect(blocks(text)).to.deep.equal(blocks(original));
      expect(paths).to.deep.equal(linksOf(original).map((link) => inJapanese(link, english, japanese)));
      expect(inlineCodeOf(text).toSorted()).to.deep.equal(inlineCodeOf(original).toSorted());
    });
  });
}
