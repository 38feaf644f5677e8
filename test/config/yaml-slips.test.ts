/** The slips of a person who writes YAML seldom: each is told with its place, its cause and its cure, and nothing else. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { stringify } from 'yaml';
import { formatProblem } from '../../src/config/problems.ts';
import { YamlSource } from '../../src/config/yaml/yaml-source.ts';
import { mendText } from '../../src/config/yaml/mend.ts';
import { loadText } from './load-fixture.ts';

/** Every case is right but for its slip, and so hears of nothing else. */
const CHANNELS = 'channels:\n  chat: { type: chat, token: xoxb-1 }\n';

interface Case {
  readonly slip: string;
  /** What follows the channels. */
  readonly text: string;
  /** As `line:column: message`, lines counted from the text's first. */
  readonly told: readonly string[];
}

const CASES: readonly Case[] = [
  {
    slip: 'a key one column too deep',
    text: 'routes:\n  - bot_id: get_items\n     on: [error]\n    notify: [{ chat: "#ops" }]\n',
    told: ['3:6: this key is indented too far: begin it in column 5, like the key in line 4'],
  },
  {
    slip: 'a key one column too shallow',
    text: 'routes:\n  - bot_id: get_items\n   on: [error]\n    notify: [{ chat: "#ops" }]\n',
    told: ['3:4: this key is indented too little: begin it in column 5, like the key in line 4'],
  },
  {
    slip: 'a key indented as if it belonged to the value above',
    text: 'routes:\n  - bot_id: "get_items"\n    on: [error]\n      notify: [{ chat: "#ops" }]\n',
    told: ['4:7: this key is indented too far: begin it in column 5, like the key in line 5'],
  },
  {
    slip: 'the keys of a route in the column of its dash',
    text: 'routes:\n  - bot_id: a\n  on: [error]\n  notify: [{ chat: "#ops" }]\n',
    told: ['3:3: this key is indented too little: begin it in column 5, like the key in line 4'],
  },
  {
    slip: 'a key as near to one neighbour as to another',
    text: 'receiver:\n  path: /a\n admin: { listen: off }\ndefault_route: { notify: [{ chat: "#ops" }] }\n',
    told: [
      '3:2: this key lines up with nothing above it: begin it in column 3, like the key in line 4, or in column 1, like the key in line 3',
    ],
  },
  {
    slip: 'a list item outdented',
    text: 'default_route:\n  notify:\n    - chat: "#ops"\n   - chat: "#dev"\n',
    told: ['4:4: this list item is indented too little: begin it in column 5, like the list item in line 5'],
  },
  {
    slip: 'a route outdented, its keys with it',
    text: 'routes:\n    - bot_id: a\n      notify: [{ chat: "#ops" }]\n  - bot_id: b\n    notify:\n      - chat: "#ops"\n',
    told: ['4:3: this list item is indented too little: begin it in column 5, like the list item in line 4'],
  },
  {
    slip: 'a list item in the column of the key, where others are deeper',
    text: 'default_route:\n  notify:\n    - chat: "#ops"\n  - chat: "#dev"\n',
    told: ['4:3: this list item is indented too little: begin it in column 5, like the list item in line 5'],
  },
  {
    slip: 'a list item too deep, which YAML takes for more of the text above',
    text: 'default_route:\n  on:\n    - error\n      - succeeded\n  notify: [{ chat: "#ops" }]\n',
    told: ['4:7: this list item is indented too far: begin it in column 5, like the list item in line 5'],
  },
  {
    slip: 'a full-width blank as indentation',
    text: 'default_route:\n　on: [error]\n　notify: [{ chat: "#ops" }]\n',
    told: [
      '2:1: a full-width blank cannot indent: use spaces',
      '3:1: a full-width blank cannot indent: use spaces',
    ],
  },
  {
    slip: 'a full-width blank among the spaces',
    text: 'default_route:\n    on: [error]\n  　notify: [{ chat: "#ops" }]\n',
    told: ['3:3: a full-width blank cannot indent: use spaces'],
  },
  {
    slip: 'a full-width blank behind the dash',
    text: 'default_route:\n  notify:\n    -　chat: "#ops"\n',
    told: ['3:6: a full-width blank stands behind the dash: use a space'],
  },
  {
    slip: 'a full-width blank behind the colon',
    text: 'default_route:\n  notify:　[{ chat: "#ops" }]\n',
    told: ['2:10: a full-width blank stands behind the colon: use a space'],
  },
  {
    slip: 'a no-break space as indentation, as copied from a web page',
    text: 'default_route:\n\u00a0\u00a0notify: [{ chat: "#ops" }]\n',
    told: ['2:1: a no-break space cannot indent: use spaces'],
  },
  {
    slip: 'a full-width colon',
    text: 'default_route:\n  on： [error]\n  notify: [{ chat: "#ops" }]\n',
    told: ['2:3: a full-width colon ends no key: write ":" and a space'],
  },
  {
    slip: 'a full-width dash',
    text: 'default_route:\n  notify:\n    － chat: "#ops"\n',
    told: ['3:5: this sign only looks like the dash that begins a list item: write "-" and a space'],
  },
  {
    slip: 'full-width brackets',
    text: 'default_route:\n  notify: ［{ chat: "#ops" }］\n',
    told: ['2:11: a full-width bracket is no bracket: write [ ] and { }'],
  },
  {
    slip: 'a comment behind a full-width sign',
    text: '＃ the rest\ndefault_route: { notify: [{ chat: "#ops" }] }\n',
    told: ['1:1: a full-width ＃ begins no comment: write #'],
  },
  {
    slip: 'a tab as indentation',
    text: 'default_route:\n\tnotify: [{ chat: "#ops" }]\n',
    told: ['2:1: a tab cannot indent: use spaces'],
  },
  {
    slip: 'a tab behind spaces',
    text: 'default_route:\n  on: [error]\n  \tnotify: [{ chat: "#ops" }]\n',
    told: ['3:3: a tab cannot indent: use spaces'],
  },
  {
    slip: 'a tab behind the dash',
    text: 'default_route:\n  notify:\n    -\tchat: "#ops"\n      mention: "@here"\n',
    told: ['3:6: a tab stands behind the dash: use a space'],
  },
  {
    slip: 'no space behind the colon',
    text: 'routes:\n  - bot_id:get_items\n    notify: [{ chat: "#ops" }]\n',
    told: ['2:5: a space is missing after the colon'],
  },
  {
    slip: 'no space between colon and bracket',
    text: 'default_route:\n  on:[error]\n  notify: [{ chat: "#ops" }]\n',
    told: ['2:3: a space is missing after the colon'],
  },
  {
    slip: 'no space behind the dash of a route',
    text: 'routes:\n  -bot_id: get_items\n   notify: [{ chat: "#ops" }]\n',
    told: ['2:3: a space is missing after the dash'],
  },
  {
    slip: 'no space behind the dashes of a list',
    text: 'default_route:\n  on:\n    -error\n    -succeeded\n  notify: [{ chat: "#ops" }]\n',
    told: ['3:5: a space is missing after the dash', '4:5: a space is missing after the dash'],
  },
  {
    slip: 'no colon behind a key',
    text: 'default_route\n  notify: [{ chat: "#ops" }]\nadmin: { listen: off }\n',
    told: ['1:1: a colon is missing after this key: write key: value'],
  },
  {
    slip: 'an equals sign',
    text: 'default_route:\n  on = [error]\n  notify: [{ chat: "#ops" }]\n',
    told: ['2:3: a key ends with a colon, not with "=": write key: value'],
  },
  {
    slip: 'a list that begins on the line of its key',
    text: 'default_route:\n  notify: - chat: "#ops"\n',
    told: ['2:11: a list begins on the line below its key, or stands in brackets: [a, b]'],
  },
  {
    slip: 'a variable inside brackets without quotes',
    text: 'receiver: { token: ${TOKEN:-abcdefghijklmnop}, path: /a }\ndefault_route: { notify: [{ chat: "#ops" }] }\n',
    told: ['1:20: a ${…} inside brackets must stand in quotes: "${NAME}"'],
  },
  {
    slip: 'a channel inside brackets without quotes',
    text: 'default_route:\n  notify: [{ chat: #ops }]\n  on: [error]\n',
    told: ['2:20: a value that begins with # is read as a comment: put the whole value in quotes'],
  },
  {
    slip: 'a bracket that is not closed',
    text: 'default_route:\n  notify: [{ chat: "#ops" }\n  on: [error]\n',
    told: ['2:11: this bracket is not closed: ] is missing'],
  },
  {
    slip: 'a bracket that is not closed within another',
    text: 'default_route:\n  notify: [{ chat: "#ops" ]\n',
    told: ['2:12: this bracket is not closed: } is missing'],
  },
  {
    slip: 'a bracket too many',
    text: 'default_route:\n  notify: [{ chat: "#ops" }]]\n',
    told: ['2:29: this ] closes nothing: remove it, or add the bracket that opens it'],
  },
  {
    slip: 'the wrong bracket',
    text: 'default_route:\n  on: [error}\n  notify: [{ chat: "#ops" }]\n',
    told: ['2:13: this } stands where ] must: it closes a ['],
  },
  {
    slip: 'no comma between two addresses',
    text: 'default_route:\n  notify: [{ chat: "#ops" } { chat: "#dev" }]\n',
    told: ['2:29: a comma is missing before this'],
  },
  {
    slip: 'no comma between an address and its option',
    text: 'default_route:\n  notify: [{ chat: "#ops" mention: "@here" }]\n',
    told: ['2:27: a comma is missing before this'],
  },
  {
    slip: 'a quote that is not closed',
    text: 'default_route:\n  notify:\n    - chat: "#ops\n  on: [error]\n',
    told: ['3:13: this quote is not closed'],
  },
  {
    slip: 'a quote that only the next one closes',
    text: 'default_route:\n  notify:\n    - chat: "#ops\n    - chat: "#dev"\n',
    told: ['3:13: this quote is not closed'],
  },
  {
    slip: 'an apostrophe in single quotes',
    text: "default_route: { notify: [{ chat: '#o'neill' }] }\n",
    told: [
      "1:38: inside single quotes, an apostrophe is written twice (''), or the value stands in double quotes",
    ],
  },
  {
    slip: 'double quotes in double quotes',
    text: 'default_route:\n  notify:\n    - chat: "#a"b"\n',
    told: ['3:16: inside double quotes, a double quote is written \\", or the value stands in single quotes'],
  },
  {
    slip: 'a glob that begins with an asterisk',
    text: 'routes:\n  - bot_id: *-nightly\n    notify: [{ chat: "#ops" }]\n',
    told: ['2:13: a value that begins with * is read as a YAML alias: put the whole value in quotes'],
  },
  {
    slip: 'a lone asterisk',
    text: 'routes:\n  - bot_id: *\n    notify: [{ chat: "#ops" }]\n',
    told: ['2:13: a value that begins with * is read as a YAML alias: put the whole value in quotes'],
  },
  {
    slip: 'a regular expression in double quotes',
    text: 'routes:\n  - bot_id: "/^\\d+$/"\n    notify: [{ chat: "#ops" }]\n',
    told: ['2:16: not a valid escape in double quotes: write \\\\ for a backslash, or use single quotes'],
  },
  {
    slip: 'a colon in a value',
    text: 'display:\n  timezone: zone: Tokyo\ndefault_route: { notify: [{ chat: "#ops" }] }\n',
    told: ['2:13: a value that contains ": " is read as a map: put the whole value in quotes'],
  },
  {
    slip: 'a merge conflict',
    text: 'default_route:\n<<<<<<< HEAD\n  on: [error]\n=======\n  on: [succeeded]\n>>>>>>> main\n  notify: [{ chat: "#ops" }]\n',
    told: [
      '2:1: git left a merge conflict here: keep one of the two sides, and remove the lines with <<<, === and >>>',
    ],
  },
];

/** As an editor shows it when the channels stand above. */
function placed(line: string): string {
  return `botbell.yaml:${line.replace(/^\d+/, (number) => String(Number(number) + 2))}`;
}

describe('A slip in a config', () => {
  for (const { slip, text, told } of CASES) {
    it(`is told once, with its place, cause and cure: ${slip}`, () => {
      const { config, problems } = loadText(CHANNELS + text);
      expect(problems.map(formatProblem)).to.deep.equal(told.map(placed));
      expect(config).to.equal(undefined);
    });
    it(`is found in a file with the line ends of Windows: ${slip}`, () => {
      const { problems } = loadText((CHANNELS + text).replaceAll('\n', '\r\n'));
      expect(problems.map(formatProblem)).to.deep.equal(told.map(placed));
    });
  }

  it('hides nothing else that is wrong with the file, above or below it', () => {
    const { problems } = loadText(
      'channels:\n  chat: { typ: chat }\nroutes:\n  - bot_id: a\n     on: [eror]\n    notify: [{ chat: "ops" }]\nrecever: {}\n',
    );
    expect(problems.map(({ place, message }) => `${place.line}:${place.column}: ${message}`)).to.deep.equal([
      '2:3: channels.chat.type is missing: one of chat',
      '5:6: this key is indented too far: begin it in column 5, like the key in line 4',
      '5:11: routes[0].on[0] must be "succeeded", "error" or "executing"; did you mean "error"?',
      '7:1: unknown key "recever" at the top level; did you mean "receiver"?',
    ]);
  });

  it('is told before what is wrong, by its places, in a line that it moved', () => {
    const { source } = YamlSource.parse('f', 'a:\n  b: 1\n   c:\n     - |\n       x {{ y }}\n');
    expect(source.placeOf(['a', 'c', 0])).to.deep.include({ line: 4, column: 8 });
    expect(source.placeInString(['a', 'c', 0], 1, 3)).to.deep.include({ line: 5, column: 10 });
  });

  it('is never quoted, since it may hold a password', () => {
    for (const { text } of CASES) {
      const secret = text.replaceAll(/get_items|#ops|#dev|abcdefghijklmnop/g, 'hunter2');
      expect(
        loadText(CHANNELS + secret)
          .problems.map(({ message }) => message)
          .join('\n'),
        text,
      ).not.to.match(/hunter2(?!"? does not begin)/);
    }
  });
});

describe('YAML without a slip', () => {
  const TEXTS: readonly string[] = [
    'a:\n- b\n- c: 1\n  d: 2\ne: 3\n',
    'a:\n  - - 1\n    - 2\n  -\n    b: 1\n',
    'a: one\n  two - three\n  - four\nb: |\n  - x\n    key: y\n  　z\n',
    'a: "x\n  key: y\n  - z"\nb: [\n  1,\n  { c: 2 }\n]\n',
    '件名: ［完了］{{ bot_name }}\n本文: 「a」 b： c\n',
    'a: -1\nb:\n  -1\nc: &x\n  d: 1\ne: *x\n"f": 1\n? g\n: h\n',
    '--- # start\na: b\n...\n',
    '\ufeffa: 1\nb:\n  c: 2\n',
    '{ "a": [1, {"b": null}], "c": "d" }\n',
    'text: こんにちは\n  　世界\nmore:\n  　世界\n',
  ];

  for (const text of TEXTS) {
    it(`is left as it is: ${JSON.stringify(text)}`, () => {
      expect(mendText(text).problems).to.deep.equal([]);
    });
  }

  it('is left as it is, whatever it holds and however it is laid out', () => {
    const word = fc.stringMatching(
      /^([a-zA-Z:#{}[\]"'=_-][a-zA-Z:#　{}[\]"'=_-]{0,12})?( [a-zA-Z:#][a-zA-Z:#-]{0,8}){0,3}$/,
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        word,
        fc.integer(),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), tie('tree'), { maxKeys: 4 }),
      ),
    }));
    const options = fc.record({
      indent: fc.integer({ min: 1, max: 4 }),
      indentSeq: fc.boolean(),
      lineWidth: fc.constantFrom(0, 20, 80),
      collectionStyle: fc.constantFrom('any', 'block', 'flow'),
    });
    fc.assert(
      fc.property(tree, options, (data, how) => {
        const text = stringify(data, how);
        expect(mendText(text).problems, text).to.deep.equal([]);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps its meaning where it is mended, or is not mended: nothing throws, whatever the text', () => {
    const piece = fc.constantFrom(
      'a',
      ':',
      ' ',
      '\n',
      '  ',
      '- ',
      '[',
      ']',
      '{',
      '}',
      '"',
      "'",
      ',',
      '#',
      '　',
      '\t',
      '|',
      '&x',
      '*x',
      '${A}',
      '{{',
      '：',
      '<<<<<<<',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        const { problems } = YamlSource.parse('f', text);
        for (const { place } of problems) {
          expect(place.line).to.be.within(1, text.split('\n').length);
          expect(place.column).to.be.within(1, text.length + 1);
        }
      }),
      { numRuns: 500 },
    );
  });
});
