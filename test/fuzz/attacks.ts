/** What one attack of a run posts: the same for the same seed and index. */
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { HEAVY_SHAPES } from '../hostile/heavy-shapes.ts';
import { PLACES } from '../hostile/hostile-callbacks.ts';
import { drawn, json, magnitude, nested, objectText, outputs, text } from './values.ts';

export interface HostileBody {
  readonly kind: string;
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Posted at the same time. */
export type Attack = readonly HostileBody[];

type Fields = Readonly<Record<string, unknown>>;

export function attackOf(seed: number, index: number): Attack {
  // Stands in what is told of the attack, and so names it.
  const mark = `FZ${index}.`;
  return drawn(
    fc.oneof({ weight: 10, arbitrary: oneBody(mark) }, { weight: 3, arbitrary: remote(mark) }),
    seed,
    index,
  );
}

/** Good in every way. */
function callback(mark: string, changes: Fields = {}): Fields {
  return {
    code: 200,
    job_id: mark,
    bot_id: 'fuzz',
    bot_name: `${mark} BOT`,
    status: 1,
    start_time: '2026-11-20T09:00:00+09:00',
    elapsed_time: 12,
    output: { 件数: '3' },
    message: 'ログイン',
    ...changes,
  };
}

function good(kind: string, fields: Fields): HostileBody {
  return {
    kind,
    bytes: Buffer.from(JSON.stringify(fields)),
    headers: { 'content-type': 'application/json' },
  };
}

/** To a Slack or a mail server that is hostile itself: see remotes.ts. */
function remote(mark: string): fc.Arbitrary<Attack> {
  return fc
    .tuple(fc.constantFrom('remote-slack', 'remote-mail'), fc.integer({ min: 1, max: 3 }))
    .map(([bot_id, count]) =>
      Array.from({ length: count }, (_, number) =>
        good(bot_id, callback(mark, { bot_id, message: String(number) })),
      ),
    );
}

const contentType = fc.oneof(
  { weight: 19, arbitrary: fc.constantFrom('application/json', 'Application/JSON;charset="UTF-8"') },
  { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/json; charset=shift_jis') },
);

function oneBody(mark: string): fc.Arbitrary<Attack> {
  const kinds: Readonly<Record<string, readonly [weight: number, body: fc.Arbitrary<string | Buffer>]>> = {
    text: [5, hostileField(mark)],
    outputs: [5, outputs.map((output) => withMembers(mark, { output }))],
    shape: [3, heavyShape(mark)],
    wrong: [3, wrongMembers(mark)],
    deep: [1, fc.tuple(place, nested(300_000)).map(([name, value]) => withMembers(mark, { [name]: value }))],
    broken: [3, broken(mark)],
    bomb: [1, bomb(mark)],
  };
  const bodies = Object.entries(kinds).map(([kind, [weight, body]]) => ({
    weight,
    arbitrary: fc
      .tuple(body, contentType, kind === 'bomb' ? compressed : encoding)
      .map(([plain, type, { name, encode }]) => ({
        kind: `${kind} ${name}`,
        bytes: encode(Buffer.from(plain)),
        headers: { 'content-type': type, ...(name !== '' && { 'content-encoding': name }) },
      })),
  }));
  return fc.oneof(...bodies).map((body) => [body]);
}

const place = fc.constantFrom('output', 'extra', 'message');

/** @param members as JSON texts, in place of those of a good callback */
function withMembers(mark: string, members: Readonly<Record<string, string>>): string {
  const own = Object.entries(callback(mark)).map(([name, value]) => [name, JSON.stringify(value)] as const);
  const all = Object.entries({ ...Object.fromEntries(own), ...members });
  return objectText(all.map(([name, value]) => [JSON.stringify(name), value] as const));
}

function hostileField(mark: string): fc.Arbitrary<string> {
  return fc.tuple(fc.constantFrom(...PLACES.values()), text, fc.nat(2)).map(([fieldsOf, value, status]) => {
    const fields = fieldsOf(`${mark}${value}`);
    return JSON.stringify(typeof fields === 'object' ? callback(mark, { status, ...fields }) : fields);
  });
}

function heavyShape(mark: string): fc.Arbitrary<string> {
  const bytes = fc.oneof(
    { weight: 6, arbitrary: magnitude(5000, 1_000_000) },
    { weight: 1, arbitrary: magnitude(1_000_000, 9 * 1024 * 1024) },
  );
  return fc
    .tuple(fc.constantFrom(...Object.values(HEAVY_SHAPES)), bytes)
    .map(([shape, size]) => shape(size, callback(mark)));
}

const WRONG = [
  '',
  'null',
  '""',
  '"1"',
  '3',
  '-1',
  '1.5',
  '[]',
  '{}',
  'true',
  '1e999',
  '"2026-02-30T00:00:00Z"',
];

function wrongMembers(mark: string): fc.Arbitrary<string> {
  const name = fc.constantFrom(...Object.keys(callback(mark)));
  const value = fc.oneof({ weight: 7, arbitrary: fc.constantFrom(...WRONG) }, { weight: 3, arbitrary: json });
  return fc
    .array(fc.tuple(name, value), { minLength: 1, maxLength: 4 })
    .map((members) => withMembers(mark, Object.fromEntries(members)));
}

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

function broken(mark: string): fc.Arbitrary<string | Buffer> {
  const bytes = Buffer.from(JSON.stringify(callback(mark)));
  return fc.oneof(
    { weight: 12, arbitrary: changedBy(BREAKS).map((change) => change(bytes)) },
    { weight: 1, arbitrary: text },
  );
}

function changedBy(changes: readonly Change[]): fc.Arbitrary<(bytes: Buffer) => Buffer> {
  return fc.tuple(fc.constantFrom(...changes), magnitude(1, 500_000), noise).map(
    ([change, at, foreign]) =>
      (bytes) =>
        change(bytes, at, foreign),
  );
}

/** Little on the wire, much behind it. */
function bomb(mark: string): fc.Arbitrary<string> {
  const pieces = ['{},', '[],', '0,', '"",', `"${'\\u0000'.repeat(1000)}",`, `"${'\u0315'.repeat(3000)}",`];
  return fc
    .tuple(place, fc.constantFrom(...pieces), fc.constantFrom(1_000_000, 8_300_000, 40_000_000))
    .map(([name, piece, size]) =>
      withMembers(mark, { [name]: `{"a":[${piece.repeat(size / piece.length)}0]}` }),
    );
}

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
