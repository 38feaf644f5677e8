/** Bodies that a stranger may post: callbacks with hostile values, heavy ones, broken ones, and no callbacks at all. */
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import type { Chance } from './random.ts';
import { heavyShape, hostileJson, hostileKey, hostileText, nested } from './values.ts';

export interface HostileBody {
  readonly kind: string;
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const LARGEST = 9 * 1024 * 1024;

/** What names an attack in what is told of it. */
export function markOf(index: number): string {
  return `FZ${index}.`;
}

/** The members of a callback as JSON texts, all good. */
function goodMembers(chance: Chance, index: number): Map<string, string> {
  return new Map([
    ['code', '200'],
    ['job_id', JSON.stringify(`${markOf(index)}${chance.integer(0, 3)}`)],
    ['bot_id', JSON.stringify(chance.pick(['fuzz', 'fuzz-a-b-c', 'remote-slack', 'remote-mail', 'nobody']))],
    ['bot_name', JSON.stringify(`${markOf(index)} BOT`)],
    ['status', String(chance.integer(0, 2))],
    ['start_time', '"2026-11-20T09:00:00+09:00"'],
    ['elapsed_time', '12'],
    ['output', '{"件数":"3"}'],
    ['message', '"ログイン"'],
  ]);
}

function jsonOf(members: ReadonlyMap<string, string>): string {
  return `{${[...members].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`;
}

type Change = (members: Map<string, string>, chance: Chance, index: number) => void;

const hostileMember: Change = (members, chance, index) => {
  for (const name of ['job_id', 'bot_id', 'bot_name', 'message'])
    if (chance.is(0.5)) members.set(name, JSON.stringify(`${markOf(index)}${hostileText(chance)}`));
  if (chance.is(0.3))
    members.set('bot_id', JSON.stringify(`fuzz${'-a'.repeat(chance.magnitude(1, 100_000))}`));
  const outputs = chance.times(chance.integer(0, 6), () => `${hostileKey(chance)}:${hostileJson(chance)}`);
  members.set('output', `{${outputs.join()}}`);
  if (chance.is(0.3)) members.set(chance.pick(['extra', '__proto__', 'constructor']), hostileJson(chance));
};

const heavyMember: Change = (members, chance) => {
  const bytes = chance.magnitude(5000, chance.is(0.15) ? LARGEST : 1_000_000);
  const heavy = heavyShape(chance, bytes);
  const place = chance.pick(['output', 'list', 'extra']);
  if (place === 'output') members.set('output', heavy.startsWith('{') ? heavy : `{"a":${heavy}}`);
  else if (place === 'list') members.set('output', `{"a":"b","list":${heavy}}`);
  else members.set('extra', heavy);
};

const WRONG = ['null', '""', '"1"', '3', '-1', '1.5', '[]', '{}', 'true', '1e999', '"2026-02-30T00:00:00Z"'];

const wrongMember: Change = (members, chance) => {
  for (let faults = chance.integer(1, 4); faults > 0; faults -= 1) {
    const name = chance.pick([...members.keys()]);
    if (chance.is(0.3)) members.delete(name);
    else members.set(name, chance.is(0.7) ? chance.pick(WRONG) : hostileJson(chance));
  }
};

const deepMember: Change = (members, chance) => {
  members.set(chance.pick(['output', 'extra', 'message']), nested(chance, chance.magnitude(60, 300_000)));
};

/** What is done to the bytes of a callback that would be good. */
const BREAKS: readonly ((bytes: Buffer, chance: Chance) => Buffer)[] = [
  (bytes, chance) => bytes.subarray(0, chance.integer(0, bytes.length)),
  (bytes) => Buffer.concat([Buffer.from('\ufeff'), bytes]),
  (bytes) => Buffer.concat([bytes, Buffer.from('x')]),
  (bytes) => Buffer.from(bytes.toString('utf8'), 'utf16le'),
  (bytes, chance) =>
    Buffer.concat([bytes.subarray(0, 30), chance.bytes(chance.magnitude(1, 3000)), bytes.subarray(30)]),
  (bytes) => Buffer.from(bytes.toString('utf8').replaceAll('"', "'")),
  (bytes) => Buffer.concat([bytes, bytes]),
  (_bytes, chance) => chance.bytes(chance.magnitude(1, 20_000)),
  (_bytes, chance) =>
    Buffer.from(chance.pick(['[', '{', '"', '{"a":', '\\']).repeat(chance.magnitude(1, 500_000))),
  (_bytes, chance) => Buffer.from(hostileText(chance)),
  () => Buffer.alloc(0),
];

type Encoder = (bytes: Buffer) => Buffer;

const quickBrotli: Encoder = (bytes) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });

const ENCODERS: readonly (readonly [string, Encoder])[] = [
  ['gzip', (bytes) => gzipSync(bytes)],
  ['deflate', (bytes) => deflateSync(bytes)],
  ['br', quickBrotli],
];

function encoded(chance: Chance, kind: string, bytes: Buffer): HostileBody {
  if (chance.is(0.6)) return { kind, bytes, headers: {} };
  const [name, encode] = chance.pick(ENCODERS);
  const compressed = encode(bytes);
  const trouble = chance.weighted<readonly [string, (bytes: Buffer) => Buffer]>([
    [6, ['', (whole) => whole]],
    [1, ['truncated', (whole) => whole.subarray(0, chance.integer(0, whole.length))]],
    [1, ['damaged', (whole) => damaged(chance, whole)]],
    [1, ['twice', encode]],
    [1, ['trailed', (whole) => Buffer.concat([whole, chance.bytes(100)])]],
  ]);
  const [how, change] = trouble;
  const encoding = chance.is(0.95) ? name : chance.pick(['x-gzip', 'GZIP', 'gzip, br', 'zstd', 'identity']);
  return {
    kind: `${kind} ${name} ${how}`,
    bytes: change(compressed),
    headers: { 'content-encoding': encoding },
  };
}

function damaged(chance: Chance, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  for (let count = chance.integer(1, 20); count > 0 && copy.length > 0; count -= 1)
    copy[chance.integer(0, copy.length - 1)] = chance.integer(0, 255);
  return copy;
}

/** Little on the wire, much behind it. */
function bomb(chance: Chance, index: number): HostileBody {
  const inside = chance.pick<(bytes: number) => string>([
    (bytes) => '{},'.repeat(bytes / 3),
    (bytes) => '[],'.repeat(bytes / 3),
    (bytes) => '0,'.repeat(bytes / 2),
    (bytes) => '"",'.repeat(bytes / 3),
    (bytes) => `"${'\\u0000'.repeat(bytes / 6)}",`,
    (bytes) => `"${' '.repeat(bytes)}",`,
    (bytes) => `"${'\u0315'.repeat(bytes / 2)}",`,
  ])(chance.pick([1_000_000, 4_000_000, 8_300_000, 12_000_000, 40_000_000]));
  const members = goodMembers(chance, index);
  members.set(chance.pick(['output', 'extra']), `{"a":[${inside}0]}`);
  const [name, encode] = chance.pick(ENCODERS);
  return {
    kind: `bomb ${name}`,
    bytes: encode(Buffer.from(jsonOf(members))),
    headers: { 'content-encoding': name },
  };
}

export function hostileBody(chance: Chance, index: number): HostileBody {
  const changed = (kind: string, change: Change) => () => {
    const members = goodMembers(chance, index);
    change(members, chance, index);
    return encoded(chance, kind, Buffer.from(jsonOf(members)));
  };
  const broken = () => {
    const bytes = Buffer.from(jsonOf(goodMembers(chance, index)));
    return encoded(chance, 'broken', chance.pick(BREAKS)(bytes, chance));
  };
  return chance.weighted<() => HostileBody>([
    [10, changed('text', hostileMember)],
    [3, changed('shape', heavyMember)],
    [3, changed('wrong', wrongMember)],
    [1, changed('deep', deepMember)],
    [3, broken],
    [1, () => bomb(chance, index)],
  ])();
}

/** Good in every way, for attacks that are about something else. */
export function goodBody(
  chance: Chance,
  index: number,
  changes: Readonly<Record<string, string>> = {},
): Buffer {
  const members = goodMembers(chance, index);
  for (const [name, value] of Object.entries(changes)) members.set(name, value);
  return Buffer.from(jsonOf(members));
}
