/** Values that have broken display code, parsers and regular expressions before, as fast-check draws them. */
import * as fc from 'fast-check';
import { naughtyStrings } from '../browser/harness/naughty-strings.ts';
import { hostileText } from '../text/hostile-text.ts';

/** As likely between 10 and 100 as between 10,000 and 100,000. */
export function magnitude(least: number, most: number): fc.Arbitrary<number> {
  return fc.nat(1000).map((part) => Math.round(least * (most / least) ** (part / 1000)));
}

/** Whoever shows one of these so that it acts has been injected: the checks look for `evil`. */
const INJECTIONS = [
  ...naughtyStrings('https://evil.example'),
  '<#C0EVIL123|evil>',
  '<!subteam^S0EVIL123>',
  '<mailto:evil@evil.example|evil>',
  '\r\nBcc: evil@evil.example\r\n',
  '\r\n.\r\nMAIL FROM:<evil@evil.example>\r\n',
  '=?utf-8?B?DQpYLUV2aWw6IDE=?=',
  '{% for i in (1..100000000) %}evil{% endfor %}',
  '\u001b]0;evil\u0007',
  '{"level":"fatal","msg":"evil"}\n{"level":"fatal","msg":"evil"}',
  "'; drop table callbacks; --",
];

/** Repeated, each is the worst case of some algorithm. */
const REPEATED = [
  ...Array.from(' \t\n&<`\\"\0\u0300\u200d\ufe0f\ufdfa\u3099\u0344\u1100あ'),
  '\ud83d',
  '\r\n',
  '-a',
  '*a',
  '_a_ ',
  '\u200c\u0300',
  '\u0315\u0300',
  '👩\u200d',
  '🏴\u{e0061}',
  'か\u3099',
  '\uac00\u11a8',
  '\u05d0a',
  'https://evil.example/',
  'http://a',
  'a@b.',
  '{{',
  '{% if',
];

const mixed = fc
  .array(fc.oneof(hostileText(10), fc.constantFrom(...INJECTIONS)), { maxLength: 20 })
  .map((pieces) => pieces.join(''));

const repeated = (most: number) =>
  fc
    .tuple(
      fc.constantFrom('', 'a', '\n'),
      fc.constantFrom(...REPEATED),
      magnitude(20, most),
      fc.constantFrom('', 'z'),
    )
    .map(([begin, piece, length, end]) => begin + piece.repeat(Math.ceil(length / piece.length)) + end);

export const text = fc.oneof(
  { weight: 12, arbitrary: mixed },
  { weight: 6, arbitrary: repeated(3000) },
  { weight: 4, arbitrary: repeated(60_000) },
  { weight: 1, arbitrary: repeated(1_000_000) },
);

const shortText = fc.oneof(mixed, repeated(3000));

const key = fc
  .oneof(fc.constantFrom('__proto__', 'constructor', 'length', 'type', 'files', 'then', ''), shortText)
  .map((name) => JSON.stringify(name));

const scalar = fc.constantFrom(
  ...'0 -0 1e400 -1e-400 1.5 123456789012345678901234567890 9007199254740993 null true "" [] {}'.split(' '),
);

const fileList = fc
  .array(fc.tuple(shortText, shortText, scalar, scalar), { maxLength: 4 })
  .map((files) =>
    files.map(
      ([ref, name, size, timestamp]) =>
        `{"ref":${JSON.stringify(ref)},"meta":{"name":${JSON.stringify(name)},"size":${size},"timestamp":${timestamp}}}`,
    ),
  )
  .map((files) => `{"type":"files","files":[${files.join()}]}`);

const BRACKETS = [
  ['[', ']'],
  ['{"a":', '}'],
  ['[[],', ']'],
  ['{"files":', '}'],
] as const;

export const nested = (most: number) =>
  fc
    .tuple(fc.constantFrom(...BRACKETS), magnitude(2, most))
    .map(([[open, close], depth]) => `${open.repeat(depth)}1${close.repeat(depth)}`);

/** Any JSON as text, so that numbers and keys may be what no JavaScript value can be. */
export const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    { weight: 5, arbitrary: shortText.map((value) => JSON.stringify(value)) },
    { weight: 3, arbitrary: scalar },
    { weight: 1, arbitrary: fileList },
    { weight: 1, arbitrary: nested(70) },
    { weight: 1, arbitrary: fc.array(tie('json'), { maxLength: 6 }).map((items) => `[${items.join()}]`) },
    { weight: 1, arbitrary: fc.array(fc.tuple(key, tie('json')), { maxLength: 6 }).map(objectText) },
  ),
}));

/** @param members keys and values as JSON texts */
export function objectText(members: readonly (readonly [key: string, value: string])[]): string {
  return `{${members.map((member) => member.join(':')).join()}}`;
}

export const outputs = fc.array(fc.tuple(key, json), { maxLength: 6 }).map(objectText);
