/** What the parser rejects is told with its place, and with its cause where that is hard to see. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { YamlSource } from '../../src/config/yaml-source.ts';

function told(text: string): string[] {
  return new YamlSource('f', text).problems.map(
    ({ place, message }) => `${place.line}:${place.column}: ${message}`,
  );
}

const BRACES = 'a value that begins with {{ or {% is read as a YAML map: put the whole value in quotes';

/** `line:column: message` of each. */
const CASES: Readonly<Record<string, readonly [text: string, told: string]>> = {
  'a tab as indentation': ['a:\n\tb: [{ c: "#ops" }]\n', '2:1: a tab cannot indent: use spaces'],
  'a full-width blank behind a colon': [
    'a:\n  notify:　[{ chat: "#ops" }]\n',
    '2:10: a full-width blank is no space: use spaces',
  ],
  'a full-width colon': [
    'a:\n  on： [error]\n  notify: []\n',
    '2:5: a full-width colon ends no key: write ":" and a space',
  ],
  'a merge conflict': [
    'a:\n<<<<<<< HEAD\n  on: [error]\n',
    '2:1: git left a merge conflict here: keep one side, and remove the lines of <<<, === and >>>',
  ],
  'a key one column too deep': [
    'routes:\n  - bot_id: a\n     on: [error]\n',
    '2:13: a value that contains ": " is read as a map: put the whole value in quotes, or mend the indentation',
  ],
  'a bracket that is not closed': [
    'a: [b\nc: d\n',
    '2:1: the indentation does not fit, or a bracket is not closed before this (a # outside of quotes begins a comment)',
  ],
  'a quote that is not closed': ['a: "b\n', '2:1: a quote, bracket or colon is missing before this'],
  'a template without quotes': ['a: {{ x }}', `1:4: ${BRACES}`],
  'one with a filter, in a list': ['a:\n  - {{ x | f: 1 }}\n  - ok', `2:5: ${BRACES}`],
  'one with words behind it': ['a: {{ x }} tail', `1:4: ${BRACES}`],
  'a merge of no map': [
    'a: 1\nb:\n  <<: a\n',
    '3:3: << merges a map that an anchor names, or a list of such: write <<: *name',
  ],
  'one that is a tag': ['a: {% if x %}', `1:4: ${BRACES}`],
};

describe('A slip in a YAML file', () => {
  for (const [slip, [text, expected]] of Object.entries(CASES))
    it(`is told with its place and its cause: ${slip}`, () => {
      expect(told(text)).to.deep.equal([expected]);
      expect(told(text.replaceAll('\n', '\r\n'))).to.deep.equal([expected]);
    });

  it('is not looked for where the parser rejects nothing', () => {
    expect(
      told('件名: ［完了］　{{ bot_name }}：\na: |\n  　\tb： c\n  <<<<<<< x\nb: x {{ y }}\n'),
    ).to.deep.equal([]);
  });

  it('never throws, whatever the text', () => {
    const piece = fc.constantFrom(
      ...'a:\n-[]{}"\',#　\t|*：'.split(''),
      '  ',
      '- ',
      '&x',
      '*x',
      '{{',
      '<<<<<<<',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        for (const { place } of new YamlSource('f', text).problems) {
          expect(place.line).to.be.within(1, text.split('\n').length);
          expect(place.column).to.be.within(1, text.length + 1);
        }
      }),
      { numRuns: 300 },
    );
  });
});
