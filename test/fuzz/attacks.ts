/** What is posted at once, and what hostile remotes answer meanwhile. */
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { HEAVY_SHAPES } from '../hostile/heavy-shapes.ts';
import { bodyOf, PLACES } from '../hostile/hostile-callbacks.ts';
import { callbackWith } from '../support/callbacks.ts';
import type { SlackFault } from '../support/faulty-slack.ts';
import { json, magnitude, nested, objectText, outputs, text } from './values.ts';

export interface HostileBody {
  readonly bytes: Buffer;
  /** Of the header; '' for none. */
  readonly encoding: string;
}

export interface Attack {
  readonly bodies: readonly HostileBody[];
  readonly slackFaults: readonly SlackFault[];
  /** In place of the right ones; '' is silence. */
  readonly mailReplies: readonly string[];
}

/** Good in every way. */
const GOOD = callbackWith({ bot_id: 'fuzz', status: 1, output: { 件数: '3' }, message: 'ログイン' });

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

const place = fc.constantFrom('output', 'extra', 'message');

/** @param members as JSON texts, in place of those of a good callback */
function withMembers(members: Readonly<Record<string, string>>): string {
  const own = Object.entries(GOOD).map(([name, value]) => [name, JSON.stringify(value)] as const);
  const all = Object.entries({ ...Object.fromEntries(own), ...members });
  return objectText(all.map(([name, value]) => [JSON.stringify(name), value] as const));
}

const hostileField = fc
  .tuple(fc.constantFrom(...PLACES.keys()), text, fc.nat(2))
  .map((drawn) => bodyOf(...drawn));

const heavyShape = fc
  .tuple(fc.constantFrom(...Object.values(HEAVY_SHAPES)), magnitude(5000, 9 * 1024 * 1024))
  .map(([shape, size]) => shape(size, { ...GOOD }));

const WRONG = ['', '"2026-02-30T00:00:00Z"', ...'null "" "1" 3 -1 1.5 [] {} true 1e999'.split(' ')];

const wrongMembers = fc
  .dictionary(fc.constantFrom(...Object.keys(GOOD)), fc.oneof(fc.constantFrom(...WRONG), json), {
    minKeys: 1,
    maxKeys: 4,
  })
  .map(withMembers);

/** What is done to bytes that would be good. @param at the place for it, wherever that is */
type Change = (bytes: Buffer, at: number, foreign: Buffer) => Buffer;

const truncated: Change = (bytes, at) => bytes.subarray(0, at % (bytes.length + 1));
const damaged: Change = (bytes, at, foreign) =>
  Buffer.concat([truncated(bytes, at, foreign), foreign, bytes.subarray(at % (bytes.length + 1))]);
const prolonged: Change = (bytes, _at, foreign) => Buffer.concat([bytes, foreign]);

const BREAKS: readonly Change[] = [
  truncated,
  damaged,
  prolonged,
  (bytes) => Buffer.concat([Buffer.from('\ufeff'), bytes]),
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
  const noise = fc.uint8Array({ minLength: 1, maxLength: 3000 }).map((bytes) => Buffer.from(bytes));
  return fc.tuple(fc.constantFrom(...changes), magnitude(1, 500_000), noise).map(
    ([change, ...by]) =>
      (bytes) =>
        change(bytes, ...by),
  );
}

const broken = changedBy(BREAKS).map((change) => change(Buffer.from(JSON.stringify(GOOD))));

/** Little on the wire, much behind it. */
const PIECES = ['{},', '[],', '0,', '"",', `"${'\\u0000'.repeat(1000)}",`, `"${'\u0315'.repeat(3000)}",`];
const bomb = fc
  .tuple(place, fc.constantFrom(...PIECES), fc.constantFrom(1_000_000, 8_300_000, 40_000_000))
  .map(([name, piece, size]) => withMembers({ [name]: `{"a":[${piece.repeat(size / piece.length)}0]}` }));

const deep = fc.tuple(place, nested(300_000)).map(([name, value]) => withMembers({ [name]: value }));

const ENCODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
};

/** Every other one whole. */
const compressed = fc
  .tuple(
    fc.constantFrom(...Object.entries(ENCODERS)),
    fc.option(changedBy([truncated, damaged, prolonged]), { freq: 1 }),
  )
  .map(([[encoding, encode], change]) => ({
    encoding,
    encode: (bytes: Buffer) => (change ?? ((whole) => whole))(encode(bytes)),
  }));

const encoded = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ encoding: '', encode: (bytes: Buffer) => bytes }) },
  { weight: 2, arbitrary: compressed },
);

const sent = (plain: fc.Arbitrary<string | Buffer>, how = encoded): fc.Arbitrary<HostileBody> =>
  fc
    .tuple(plain, how)
    .map(([body, { encoding, encode }]) => ({ bytes: encode(Buffer.from(body)), encoding }));

/** To a remote that is hostile itself. */
const toOddRemote = fc
  .tuple(fc.constantFrom('remote-slack', 'remote-mail'), fc.nat())
  .map(([bot_id, code]) => JSON.stringify({ ...GOOD, bot_id, code }));

const body = fc.oneof(
  { weight: 5, arbitrary: sent(hostileField) },
  { weight: 5, arbitrary: sent(outputs.map((output) => withMembers({ output }))) },
  { weight: 3, arbitrary: sent(heavyShape) },
  { weight: 3, arbitrary: sent(wrongMembers) },
  { weight: 1, arbitrary: sent(deep) },
  { weight: 3, arbitrary: sent(broken) },
  { weight: 1, arbitrary: sent(bomb, compressed) },
  { weight: 6, arbitrary: sent(toOddRemote) },
);

export const attack: fc.Arbitrary<Attack> = fc.record({
  bodies: fc.array(body, { minLength: 1, maxLength: 4 }),
  slackFaults: fc.array(slackFault, { maxLength: 2 }),
  mailReplies: fc.array(mailReply, { maxLength: 2 }),
});
