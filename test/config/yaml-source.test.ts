/** YAML with places: what is read, where it stands, and what faults never do. What is said of each: configs.test.ts. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { YamlSource } from '../../src/config/yaml-source.ts';
import type { Path } from '../../src/config/path.ts';
import type { Place } from '../../src/config/config.ts';

const TEXT = `# a comment
list:
  - one
  - key: two
    empty:
  - &shared { deep: 'three' }
again: *shared
text: |
  first line
    second {{ line }}
folded: >
  first
  second
plain: x {{ y }}
'quoted': "a {{ b }}"
escaped: "\\t{{ b }}"
twice: 'it''s {{ a }}{{ a }}'
`;

const source = new YamlSource('file.yaml', TEXT);
const { problems } = source;

const written = ({ line, column }: Place) => `${line}:${column}`;
const at = (path: Path) => written(source.placeOf(path));
const inString = (path: Path, line: number, column: number) =>
  written(source.placeInString(path, line, column));
const faultsOf = (text: string) =>
  new YamlSource('f', text).problems.map(({ place, fault }) => `${written(place)}: ${fault.in('en')}`);

describe('A YAML source', () => {
  it('gives plain data', () => {
    expect(problems).to.deep.equal([]);
    expect(source.data).to.deep.equal({
      list: ['one', { key: 'two', empty: null }, { deep: 'three' }],
      again: { deep: 'three' },
      text: 'first line\n  second {{ line }}\n',
      folded: 'first second\n',
      plain: 'x {{ y }}',
      quoted: 'a {{ b }}',
      escaped: '\t{{ b }}',
      twice: "it's {{ a }}{{ a }}",
    });
  });

  it('knows where keys and items stand, also behind an alias', () => {
    expect(at(['list'])).to.equal('2:1');
    expect(at(['list', 0])).to.equal('3:5');
    expect(at(['list', 1])).to.equal('4:5');
    expect(at(['list', 1, 'key'])).to.equal('4:5');
    expect(at(['again', 'deep'])).to.equal('6:15');
    expect(at(['again'])).to.equal('7:1');
  });

  it('gives what is not there the place of what holds it', () => {
    expect(at(['list', 1, 'missing', 'deeper'])).to.equal('4:5');
    expect(at(['nowhere'])).to.equal('2:1');
  });

  it('knows where a line and column within a string stand', () => {
    expect(inString(['text'], 1, 1)).to.equal('9:3');
    expect(inString(['text'], 2, 10)).to.equal('10:12');
    expect(inString(['plain'], 1, 3)).to.equal('14:10');
    expect(inString(['quoted'], 1, 3)).to.equal('15:14');
    expect(inString(['folded'], 1, 7)).to.equal('13:3');
    expect(inString(['escaped'], 1, 2)).to.equal('16:13');
    expect(inString(['twice'], 1, 13)).to.equal('17:22');
    expect(inString(['again', 'deep'], 1, 2), 'behind an alias').to.equal('6:23');
  });

  it('points to the key of a string where the file does not have what is inside', () => {
    expect(inString(['folded'], 2, 1)).to.equal('11:1');
    expect(inString(['escaped'], 1, 1)).to.equal('16:1');
    expect(inString(['list', 1], 1, 1)).to.equal('4:5');
    expect(inString(['plain'], 1, 10)).to.equal('14:1');
  });

  it('may use and merge what has an anchor in thousands of places', () => {
    const text = `a: &a { b: c }\nlist:\n${'  - *a\n'.repeat(2000)}${'  - { <<: *a }\n'.repeat(2000)}`;
    const { data, problems } = new YamlSource('file.yaml', text);
    expect(problems).to.deep.equal([]);
    const { list } = data as { list: readonly unknown[] };
    expect(list).to.deep.equal(Array.from({ length: 4000 }, () => ({ b: 'c' })));
  });

  it('keeps dates, no and off as text', () => {
    const source = new YamlSource('file.yaml', 'a: 2026-01-02\nb: no\nc: off\nd: 1\ne: true\n1: x\n');
    expect(source.data).to.deep.equal({ a: '2026-01-02', b: 'no', c: 'off', d: 1, e: true, 1: 'x' });
  });
});

describe('A YAML fault', () => {
  it('is told once a line and not for ever', () => {
    expect(faultsOf('a: [\nb: c: d: e\n').length).to.be.lessThan(4);
    expect(faultsOf('- @x\n'.repeat(50))).to.have.length(10);
  });

  it('never quotes the text', () => {
    const values = ['*secret', '!secret x', '"secret\\q"', '[b] secret', 'secret: b'].map(
      (value) => `a: ${value}`,
    );
    for (const text of [...values, '%secret x\n---\na: b'])
      expect(faultsOf(text).join(), text).to.match(/^\d+:\d+: (?!.*secret)/);
  });

  it('stops what is nested too deep', () => {
    expect(faultsOf('['.repeat(1000))[0]).to.match(/nested too deep|not closed/);
    expect(faultsOf(`a: ${'['.repeat(90)}${']'.repeat(90)}`)).to.deep.equal([]);
  });

  it('says of an alias within what it names that this never ends', () => {
    const endless = 'the aliases (*name) of this file contain themselves, or multiply beyond any use';
    for (const [text, where] of Object.entries({ '&r\n<<: *r\nx: 1': '2:5', 'a: &a { <<: *a }': '1:13' })) {
      expect(faultsOf(text)).to.deep.equal([`${where}: ${endless}`]);
      expect(new YamlSource('file.yaml', text).scalarAt(['a', 'b'])).to.equal(undefined);
    }
  });

  it('is not looked for where the parser rejects nothing', () => {
    const text = '件名: ［完了］　{{ bot_name }}：\na: |\n  　\tb： c\n  <<<<<<< x\nb: x {{ y }}\n';
    expect(faultsOf(text)).to.deep.equal([]);
  });

  it('has a place within the file, whatever the text', () => {
    const signs = 'a:\n-[]{}"\',#　\t|*：'.split('');
    const piece = fc.constantFrom(...signs, '  ', '- ', '&x', '*x', '{{', '<<<<<<<');
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
