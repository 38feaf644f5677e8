/** Values that have broken display code, parsers and regular expressions before. */
import type { Chance } from './random.ts';

/** Whoever shows one of these so that it acts has been injected: the checks look for `evil`. */
const INJECTIONS = [
  '<!channel>',
  '<!here|evil>',
  '<@U0EVIL123>',
  '<#C0EVIL123|evil>',
  '<!subteam^S0EVIL123>',
  '<https://evil.example/|evil>',
  '<mailto:evil@evil.example|evil>',
  '[evil](https://evil.example/)',
  'https://evil.example/<a|b>',
  '\r\nBcc: evil@evil.example\r\n',
  '\nX-Evil: 1\n\nevil',
  '\r\n.\r\nMAIL FROM:<evil@evil.example>\r\n',
  '=?utf-8?B?DQpYLUV2aWw6IDE=?=',
  '</p><script>evil()</script>',
  '"><img src=x onerror=evil()>',
  '<a href="https://evil.example/">evil</a>',
  '{{ callback | json }}{% render "constructor" %}',
  '{% for i in (1..100000000) %}evil{% endfor %}',
  '\u001b[2J\u001b]0;evil\u0007',
  '{"level":60,"msg":"evil"}\n{"level":60,"msg":"evil"}',
  '../../../../etc/passwd',
  "'; drop table callbacks; --",
  '${CALLBACK_TOKEN}',
  '```evil *evil* _evil_ ~evil~ `evil`',
  '&lt;!channel&gt; &amp;lt;!here&amp;gt;',
  '@channel @here @everyone',
];

const PIECES = [
  ...INJECTIONS,
  ...Array.from(
    '\0\x07\b\t\n\v\f\r\x1b\x7f\x85\xa0\u200b\u200d\u200e\u2028\u2029\u202e\u2066\ufeff\uffff&<>"\'`|*_~\\',
  ),
  '\ud800',
  '\udc00',
  '👨‍👩‍👧‍👦',
  '🏴\u{e0067}\u{e0062}\u{e007f}',
  'e\u0301\u0327',
  'ﷺ',
  '請求書',
  'ก็็็',
  'word ',
  '12345',
];

/** Repeated, each is the worst case of some algorithm. */
const REPEATED = [
  ['\u0315', '\u0300'],
  ['\u0300'],
  [' '],
  ['\t'],
  ['\n'],
  ['\r\n'],
  ['-a'],
  ['a-'],
  ['\u200d'],
  ['\u200c\u0300'],
  ['👩\u200d'],
  ['\ufe0f'],
  ['\u{e0061}'],
  ['🏴\u{e0061}'],
  ['\ud83d'],
  ['&'],
  ['<'],
  ['`'],
  ['*a'],
  ['_a_ '],
  ['https://evil.example/'],
  ['http://a'],
  ['a@b.'],
  ['@a'],
  ['{{'],
  ['{% if'],
  ['\\'],
  ['"'],
  ['\0'],
  ['\u1100'],
  ['\uac00\u11a8'],
  ['\u0344'],
  ['\ufdfa'],
  ['あ'],
  ['\u3099'],
  ['か\u3099'],
  ['\u05d0a'],
  ['\u0bcd\u0bc6'],
  ['a\u0300'.repeat(9)],
] as const;

/** Characters, as they are counted in a string. */
const LONGEST = 1_000_000;

function repeated(chance: Chance, most: number): string {
  const length = chance.magnitude(20, most);
  const runs = chance.pick(REPEATED);
  const text = runs.map((run) => run.repeat(Math.ceil(length / runs.length / run.length))).join('');
  return `${chance.pick(['', 'a', ' ', '\n'])}${text}${chance.pick(['', 'b', 'z', '!', '\n'])}`;
}

export function hostileText(chance: Chance, most = LONGEST): string {
  const mixed = () => chance.times(chance.magnitude(1, 60), () => chance.pick(PIECES)).join('');
  return chance.weighted<() => string>([
    [6, mixed],
    [3, () => repeated(chance, Math.min(most, 3000))],
    [2, () => repeated(chance, Math.min(most, 60_000))],
    [0.4, () => repeated(chance, most)],
    [1, () => `${mixed()}${repeated(chance, Math.min(most, 20_000))}${mixed()}`],
    [0.5, () => ''],
  ])();
}

const NUMBERS = [
  '0',
  '-0',
  '1e400',
  '-1e-400',
  '1.5',
  '123456789012345678901234567890',
  '9007199254740993',
  '1e5',
  '-1',
];

/** Any JSON as text, so that numbers and keys may be what no JavaScript value can be. */
export function hostileJson(chance: Chance, depth = 0): string {
  const inner = () => hostileJson(chance, depth + 1);
  const several = (most: number) => chance.integer(0, depth > 3 ? 1 : most);
  return chance.weighted<() => string>([
    [5, () => JSON.stringify(hostileText(chance, 3000))],
    [2, () => chance.pick(NUMBERS)],
    [1, () => chance.pick(['null', 'true', 'false', '""', '[]', '{}'])],
    [1, () => `[${chance.times(several(6), inner).join()}]`],
    [1, () => `{${chance.times(several(6), () => `${hostileKey(chance)}:${inner()}`).join()}}`],
    [1, () => fileValue(chance)],
    [0.2, () => nested(chance, chance.magnitude(2, 70))],
  ])();
}

export function hostileKey(chance: Chance): string {
  const keys = ['__proto__', 'constructor', 'toString', 'length', 'type', 'files', 'then', '', 'a'];
  return JSON.stringify(chance.is(0.5) ? chance.pick(keys) : hostileText(chance, 2000));
}

export function nested(chance: Chance, depth: number): string {
  const [open, close] = chance.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['[[],', ']'],
    ['{"files":', '}'],
  ] as const);
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
}

function fileValue(chance: Chance): string {
  const entry = () =>
    `{"ref":${JSON.stringify(chance.is(0.5) ? 'jobs/j/files/f' : hostileText(chance, 2000))},"meta":{"name":${JSON.stringify(hostileText(chance, 2000))},"size":${chance.pick(NUMBERS)},"timestamp":${chance.pick(NUMBERS)}}}`;
  return `{"type":"files","files":[${chance.times(chance.integer(0, 4), entry).join()}]}`;
}

/** Much of one small thing: what a shape costs, rather than a text. Up to `bytes` long. */
export function heavyShape(chance: Chance, bytes: number): string {
  const [open, item, close] = chance.pick<readonly [string, (index: number) => string, string]>([
    ['{', (index) => `"k${index}":1`, '}'],
    ['{', (index) => `"k${index}":["x"]`, '}'],
    ['{', () => '"same":1', '}'],
    ['{"files":[', () => '{"ref":"r","meta":{"name":"n","size":1}}', '],"type":"files"}'],
    ['[', () => '[]', ']'],
    ['[', () => '{}', ']'],
    ['[', () => '0', ']'],
    ['[', () => '""', ']'],
    ['[', (index) => `{"a${index % 9}":"b"}`, ']'],
    ['[', () => '{"type":"files","files":[]}', ']'],
    ['[', () => `"${'x'.repeat(40)}"`, ']'],
  ]);
  const count = Math.max(1, Math.floor(bytes / (item(100).length + 1)));
  return open + chance.times(count, item).join() + close;
}
