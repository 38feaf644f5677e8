/** What is posted at once, and what hostile remotes answer meanwhile. */
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { HEAVY_SHAPES } from '../hostile/heavy-shapes.ts';
import { PLACES } from '../hostile/hostile-callbacks.ts';
import type { SlackFault } from '../support/faulty-slack.ts';
import { json, magnitude, nested, objectText, outputs, text } from './values.ts';

export interface HostileBody {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Attack {
  readonly bodies: readonly HostileBody[];
  readonly slackFaults: readonly SlackFault[];
  /** In place of the right ones; '' is silence. */
  readonly mailReplies: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Good in every way. */
const GOOD: Fields = {
  code: 200,
  job_id: 'fuzz-job',
  bot_id: 'fuzz',
  bot_name: 'Fuzz BOT',
  status: 1,
  start_time: '2026-11-20T09:00:00+09:00',
  elapsed_time: 12,
  output: { 件数: '3' },
  message: 'ログイン',
};

const oddTime = fc.constantFrom(
  ...'0|-1|1.5|NaN|1e+300|99999999999999999999|Fri, 31 Dec 9999 23:59:59 GMT|evil|'.split('|'),
);

const oddBody = fc.oneof(
  fc.json(),
  fc.constantFrom(
    '',
    '{"ok":"true"}',
    '{"ok":true,"ts":1,"channel":{}}',
    `{"ok":true,"ts":"${'1'.repeat(50_000)}","channel":"C"}`,
    '{"ok":false,"error":{"a":1}}',
    '{"ok":false,"error":"invalid_blocks","response_metadata":{"messages":"evil"}}',
    '{"__proto__":{"ok":true}}',
    `{"ok":${'['.repeat(100_000)}`,
    '\ufeff{"ok":true}',
    '<html>Sign in</html>',
  ),
);

const slackFault: fc.Arbitrary<SlackFault> = fc.oneof(
  fc.record({
    kind: fc.constant('error' as const),
    error: fc.constantFrom('channel_not_found', 'ratelimited', 'evil\n\x1b[2J', 'x'.repeat(300_000), ''),
  }),
  fc.record({
    kind: fc.constant('status' as const),
    status: fc.constantFrom(200, 204, 301, 307, 403, 404, 408, 410, 429, 500, 503, 599),
    body: oddBody,
    headers: fc.record(
      {
        'content-type': fc.constantFrom('application/json', 'application/json; charset=utf-16', ''),
        'retry-after': oddTime,
        location: fc.constantFrom('http://127.0.0.1:1/', 'file:///etc/passwd', '//evil.example', 'x'),
        'content-encoding': fc.constantFrom('gzip', 'evil'),
      },
      { requiredKeys: ['content-type'] },
    ),
  }),
  fc.record({ kind: fc.constantFrom('hang', 'stall', 'cut', 'reset', 'reset_after_accepting') }),
);

const mailReply = fc.constantFrom(
  '',
  '250 ok\r\n',
  '354 go on\r\n',
  '421 4.3.2 evil\r\n',
  '450 4.2.1 later\r\n',
  '535 5.7.8 AGZ1enoARlVaWi1TTVRQLVBBU1NXT1JE no\r\n',
  '550 5.1.1 <!channel> \x1b[2J evil\r\n',
  '250-evil\r\n250-AUTH LOGIN PLAIN\r\n250 STARTTLS\r\n',
  '250-never ended\r\n',
  '999 evil\r\n',
  '250 ok\r\n250 ok\r\n250 ok\r\n',
  `250 ${'e'.repeat(200_000)}\r\n`,
  `250-${'e\r\n250-'.repeat(20_000)}e\r\n250 ok\r\n`,
  '\0\0\0\0',
);

const contentType = fc.oneof(
  { weight: 19, arbitrary: fc.constantFrom('application/json', 'Application/JSON;charset="UTF-8"') },
  { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/json; charset=shift_jis') },
);

const place = fc.constantFrom('output', 'extra', 'message');

/** @param members as JSON texts, in place of those of a good callback */
function withMembers(members: Readonly<Record<string, string>>): string {
  const own = Object.entries(GOOD).map(([name, value]) => [name, JSON.stringify(value)] as const);
  const all = Object.entries({ ...Object.fromEntries(own), ...members });
  return objectText(all.map(([name, value]) => [JSON.stringify(name), value] as const));
}

const hostileField = fc
  .tuple(fc.constantFrom(...PLACES.values()), text, fc.nat(2))
  .map(([fieldsOf, value, status]) => {
    const fields = fieldsOf(value);
    return JSON.stringify(typeof fields === 'object' ? { ...GOOD, status, ...fields } : fields);
  });

const heavyShape = fc
  .tuple(fc.constantFrom(...Object.values(HEAVY_SHAPES)), magnitude(5000, 9 * 1024 * 1024))
  .map(([shape, size]) => shape(size, GOOD));

const WRONG = ['', '"2026-02-30T00:00:00Z"', ...'null "" "1" 3 -1 1.5 [] {} true 1e999'.split(' ')];

const wrongMembers = fc
  .dictionary(fc.constantFrom(...Object.keys(GOOD)), fc.oneof(fc.constantFrom(...WRONG), json), {
    minKeys: 1,
    maxKeys: 4,
  })
  .map(withMembers);

const noise = fc.uint8Array({ minLength: 1, maxLength: 3000 }).map((bytes) => Buffer.from(bytes));

/** What is done to bytes that would be good. @param at the place for it, wherever that is */
type Change = (bytes: Buffer, at: number, foreign: Buffer) => Buffer;

const truncated: Change = (bytes, at) => bytes.subarray(0, at % (bytes.length + 1));
const damaged: Change = (bytes, at, foreign) => {
  const middle = at % (bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, middle), foreign, bytes.subarray(middle)]);
};

const BREAKS: readonly Change[] = [
  truncated,
  damaged,
  (bytes) => Buffer.concat([Buffer.from('\ufeff'), bytes]),
  (bytes) => Buffer.concat([bytes, Buffer.from('x')]),
  (bytes) => Buffer.concat([bytes, bytes]),
  (bytes) => Buffer.from(bytes.toString('utf8'), 'utf16le'),
  (bytes) => Buffer.from(bytes.toString('utf8').replaceAll('"', "'")),
  (_bytes, _at, foreign) => foreign,
  ...['[', '{', '"', '{"a":', '\\'].map(
    (piece): Change =>
      (_bytes, at) =>
        Buffer.from(piece.repeat(at)),
  ),
];

function changedBy(changes: readonly Change[]): fc.Arbitrary<(bytes: Buffer) => Buffer> {
  return fc.tuple(fc.constantFrom(...changes), magnitude(1, 500_000), noise).map(
    ([change, at, foreign]) =>
      (bytes) =>
        change(bytes, at, foreign),
  );
}

const broken = changedBy(BREAKS).map((change) => change(Buffer.from(JSON.stringify(GOOD))));

/** Little on the wire, much behind it. */
const PIECES = ['{},', '[],', '0,', '"",', `"${'\\u0000'.repeat(1000)}",`, `"${'\u0315'.repeat(3000)}",`];
const bomb = fc
  .tuple(place, fc.constantFrom(...PIECES), fc.constantFrom(1_000_000, 8_300_000, 40_000_000))
  .map(([name, piece, size]) => withMembers({ [name]: `{"a":[${piece.repeat(size / piece.length)}0]}` }));

interface Encoding {
  /** Of the header; '' for none. */
  readonly name: string;
  readonly encode: (bytes: Buffer) => Buffer;
}

const ENCODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
};

const compressed: fc.Arbitrary<Encoding> = fc
  .tuple(
    fc.constantFrom(...Object.entries(ENCODERS)),
    fc.oneof(
      { weight: 6, arbitrary: fc.constant((bytes: Buffer) => bytes) },
      {
        weight: 3,
        arbitrary: changedBy([truncated, damaged, (bytes, _at, foreign) => Buffer.concat([bytes, foreign])]),
      },
    ),
    fc.oneof(
      { weight: 19, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: fc.constantFrom('x-gzip', 'GZIP', 'gzip, br', 'zstd', 'identity') },
    ),
  )
  .map(([[name, encode], change, wrong]) => ({
    name: wrong || name,
    encode: (bytes) => change(encode(bytes)),
  }));

const encoding = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Encoding>({ name: '', encode: (bytes) => bytes }) },
  { weight: 2, arbitrary: compressed },
);

const deep = fc.tuple(place, nested(300_000)).map(([name, value]) => withMembers({ [name]: value }));

function bodyOf(
  plain: fc.Arbitrary<string | Buffer>,
  encoded: fc.Arbitrary<Encoding> = encoding,
): fc.Arbitrary<HostileBody> {
  return fc.tuple(plain, contentType, encoded).map(([body, type, { name, encode }]) => ({
    bytes: encode(Buffer.from(body)),
    headers: { 'content-type': type, ...(name !== '' && { 'content-encoding': name }) },
  }));
}

const body = fc.oneof(
  { weight: 5, arbitrary: bodyOf(hostileField) },
  { weight: 5, arbitrary: bodyOf(outputs.map((output) => withMembers({ output }))) },
  { weight: 3, arbitrary: bodyOf(heavyShape) },
  { weight: 3, arbitrary: bodyOf(wrongMembers) },
  { weight: 1, arbitrary: bodyOf(deep) },
  { weight: 3, arbitrary: bodyOf(broken) },
  { weight: 1, arbitrary: bodyOf(bomb, compressed) },
);

/** To a remote that is hostile itself. */
const toOddRemote = fc
  .tuple(fc.constantFrom('remote-slack', 'remote-mail'), fc.nat())
  .map(([bot_id, code]): HostileBody => ({
    bytes: Buffer.from(JSON.stringify({ ...GOOD, bot_id, code })),
    headers: { 'content-type': 'application/json' },
  }));

export const attack: fc.Arbitrary<Attack> = fc.record({
  bodies: fc.array(fc.oneof({ weight: 10, arbitrary: body }, { weight: 3, arbitrary: toOddRemote }), {
    minLength: 1,
    maxLength: 4,
  }),
  slackFaults: fc.array(slackFault, { maxLength: 2 }),
  mailReplies: fc.array(mailReply, { maxLength: 2 }),
});
