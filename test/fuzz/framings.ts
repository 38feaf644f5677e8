/** Requests that are HTTP only nearly, or HTTP at its worst: bytes for one connection. */
import type { Step } from './exchange.ts';
import type { Chance } from './random.ts';
import { hostileText } from './values.ts';

export interface Framing {
  readonly kind: string;
  readonly steps: readonly Step[];
  /** What it says may be read in two ways: nothing of it may be taken. */
  readonly isAmbiguous?: boolean;
}

interface Parts {
  readonly path: string;
  readonly body: Buffer;
}

type Header = readonly [string, string];

const END = '\r\n';

export function head(method: string, path: string, headers: readonly Header[]): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}${END}`);
  return `${method} ${path} HTTP/1.1${END}${lines.join('')}${END}`;
}

export const HOST: Header = ['Host', 'botbell.example'];
export const JSON_TYPE: Header = ['Content-Type', 'application/json'];
const CLOSE: Header = ['Connection', 'close'];

export function lengthOf(body: Uint8Array): Header {
  return ['Content-Length', String(body.byteLength)];
}

export function post({ path, body }: Parts, extra: readonly Header[] = [CLOSE]): Step {
  const text = head('POST', path, [HOST, JSON_TYPE, lengthOf(body), ...extra]);
  return { send: Buffer.concat([Buffer.from(text, 'latin1'), body]) };
}

function chunkedOf(chance: Chance, body: Buffer): string {
  const size = chance.magnitude(1, Math.max(2, body.length));
  const chunks: string[] = [];
  for (let at = 0; at < body.length && chunks.length < 2000; at += size) {
    const chunk = body.subarray(at, chunks.length === 1999 ? body.length : at + size);
    chunks.push(`${chunk.length.toString(16)}${END}${chunk.toString('latin1')}${END}`);
  }
  return chunks.join('');
}

const LATIN = (text: string): Step => ({ send: Buffer.from(text, 'latin1') });

/** Each at least one way of the many to be wrong. */
const FRAMINGS: readonly ((chance: Chance, parts: Parts) => Framing)[] = [
  function chunked(chance, { path, body }) {
    const last = chance.pick([`0${END}${END}`, `0${END}X-Trailer: evil${END}${END}`, `000000${END}${END}`]);
    const extension = chance.is(0.3) ? `;${'e'.repeat(chance.magnitude(1, 30_000))}` : '';
    const chunks = chunkedOf(chance, body).replace(END, `${extension}${END}`);
    const start = head('POST', path, [HOST, JSON_TYPE, ['Transfer-Encoding', 'chunked'], CLOSE]);
    return { kind: 'chunked', steps: [LATIN(start + chunks + last)] };
  },
  function chunkedWrongly(chance, { path, body }) {
    const start = head('POST', path, [HOST, JSON_TYPE, ['Transfer-Encoding', 'chunked'], CLOSE]);
    const size = chance.pick(['-1', 'fffffffffffffffff', '0x10', 'g', '', ' 5', '5 ', '1e3', 'ffffffff']);
    return {
      kind: `chunk size ${size}`,
      steps: [LATIN(`${start}${size}${END}${body.toString('latin1')}${END}0${END}${END}`)],
    };
  },
  function twoWays(chance, { path, body }) {
    const smuggled = `POST ${path} HTTP/1.1${END}Host: evil${END}Content-Length: 0${END}${END}`;
    const encoding = chance.pick([
      'chunked',
      'identity, chunked',
      'chunked, identity',
      'xchunked',
      ' chunked',
      'Chunked',
    ]);
    const headers: Header[] = [HOST, JSON_TYPE, lengthOf(body), ['Transfer-Encoding', encoding], CLOSE];
    return {
      kind: 'length and chunks',
      isAmbiguous: true,
      steps: [LATIN(head('POST', path, headers) + body.toString('latin1') + `0${END}${END}${smuggled}`)],
    };
  },
  function twoLengths(chance, { path, body }) {
    const other = String(chance.pick([0, 1, body.length - 1, body.length + 1, 1e9]));
    const headers: Header[] = [HOST, JSON_TYPE, lengthOf(body), ['content-length', other], CLOSE];
    return {
      kind: 'two lengths',
      isAmbiguous: true,
      steps: [LATIN(head('POST', path, headers)), { send: body }],
    };
  },
  function absurdLength(chance, { path, body }) {
    const length = chance.pick([
      '9007199254740993',
      '18446744073709551617',
      '99999999999999999999999999',
      '-1',
      '+5',
      '0x10',
      '1e3',
      '5,5',
      ' ',
      'NaN',
      '8388609',
      '4294967296',
    ]);
    const headers: Header[] = [HOST, JSON_TYPE, ['Content-Length', length], CLOSE];
    return {
      kind: `length ${length}`,
      isAmbiguous: true,
      steps: [LATIN(head('POST', path, headers)), { send: body }, { pauseMs: 50 }, { end: true }],
    };
  },
  function wrongLength(chance, { path, body }) {
    const length = Math.max(0, body.length + chance.pick([-1, 1, -10, 10, 1000]));
    const headers: Header[] = [HOST, JSON_TYPE, ['Content-Length', String(length)], CLOSE];
    return {
      kind: 'wrong length',
      isAmbiguous: true,
      steps: [LATIN(head('POST', path, headers)), { send: body }, { pauseMs: 20 }, { end: true }],
    };
  },
  function hosts(chance, parts) {
    const hosts = chance.pick<Header[]>([
      [],
      [HOST, ['host', 'evil.example']],
      [['Host', '']],
      [['Host', 'a b']],
      [['Host', 'x'.repeat(5000)]],
      [['Host', 'evil.example@127.0.0.1']],
    ]);
    const headers: Header[] = [...hosts, JSON_TYPE, lengthOf(parts.body), CLOSE];
    return { kind: 'hosts', steps: [LATIN(head('POST', parts.path, headers)), { send: parts.body }] };
  },
  function manyHeaders(chance, parts) {
    const many = chance.times(chance.magnitude(10, 3000), (index): Header => [`X-${index}`, 'y']);
    const long: Header[] = [
      [chance.pick(['X', 'Cookie', 'X-Forwarded-For', 'Accept']), 'z,'.repeat(chance.magnitude(10, 60_000))],
    ];
    return { kind: 'many headers', steps: [post(parts, [...(chance.is(0.5) ? many : long), CLOSE])] };
  },
  function oddHeaders(chance, parts) {
    const odd = chance.pick<Header[]>([
      [['Expect', '100-continue']],
      [['Expect', 'evil']],
      [
        ['Upgrade', 'websocket'],
        ['Connection', 'Upgrade'],
      ],
      [
        ['Upgrade', 'h2c'],
        ['HTTP2-Settings', 'AAMAAABkAARAAAAAAAIAAAAA'],
        ['Connection', 'Upgrade, HTTP2-Settings'],
      ],
      [['Content-Type', 'text/plain']],
      [
        [
          'Content-Encoding',
          chance.pick(['gzip', 'br', 'zstd', 'gzip, gzip', 'evil', ',', 'a'.repeat(8000)]),
        ],
      ],
      [['X-Forwarded-For', chance.pick(['1.2.3.4', 'evil', '::1, ::2', ','.repeat(10_000)])]],
      [['X\x00', 'y']],
      [['X Y', 'z']],
      [['X', 'a\rb']],
      [['X', 'a\nb: c']],
      [
        ['__proto__', 'evil'],
        ['constructor', 'evil'],
      ],
      [['Connection', 'keep-alive, close, evil']],
      [['Keep-Alive', 'timeout=99999999, max=99999999']],
    ]);
    return { kind: `odd header ${odd[0]?.[0]}`, steps: [post(parts, [...odd, CLOSE])] };
  },
  function oddTargets(chance, { path, body }) {
    const target = chance.pick([
      '*',
      '/',
      '//evil.example/',
      'http://evil.example/',
      'http://[',
      `${path}/`,
      `${path}?${'a=b&'.repeat(2000)}`,
      `${path}#x`,
      `${path.slice(0, -1)}x`,
      '/callbacks',
      '/callbacks/',
      '/callbacks/%',
      '/callbacks/%00',
      '/callbacks/../healthz',
      '/%2e%2e/%2e%2e/etc/passwd',
      `/${'a/'.repeat(7000)}`,
      '/healthz?x',
      '/metrics',
      '/\u00e9',
      '',
    ]);
    const method = chance.pick([
      'POST',
      'POST',
      'GET',
      'PUT',
      'DELETE',
      'OPTIONS',
      'TRACE',
      'PATCH',
      'PROPFIND',
      'EVIL',
      'post',
    ]);
    return {
      kind: `${method} ${target.slice(0, 30)}`,
      steps: [LATIN(head(method, target, [HOST, JSON_TYPE, lengthOf(body), CLOSE])), { send: body }],
    };
  },
  function connectMethod(chance, { path }) {
    const method = chance.pick(['CONNECT', 'HEAD']);
    const target = method === 'CONNECT' ? 'evil.example:443' : path;
    return {
      kind: method,
      steps: [LATIN(head(method, target, [HOST, CLOSE])), { pauseMs: 50 }, { end: true }],
    };
  },
  function noHttp(chance) {
    const bytes = chance.pick<() => string | Buffer>([
      () => chance.bytes(chance.magnitude(1, 100_000)),
      () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      () => 'GET / HTTP/9.9\r\n\r\n',
      () => 'GET /\r\n',
      () => '\r\n'.repeat(chance.magnitude(1, 50_000)),
      () => `GET /${'a'.repeat(chance.magnitude(100, 200_000))}`,
      () => hostileText(chance, 20_000),
      () => 'EHLO evil\r\n',
      () => '\0'.repeat(5000),
    ])();
    return { kind: 'no HTTP', steps: [{ send: bytes }, { pauseMs: 30 }, { end: true }] };
  },
  function pipelined(chance, parts) {
    const count = chance.magnitude(2, 400);
    const one = chance.is(0.5) ? post(parts, []) : LATIN(head('GET', '/healthz', [HOST]));
    const steps = chance.times(count, () => one);
    return { kind: `pipelined ${count}`, steps: [...steps, LATIN(head('GET', '/healthz', [HOST, CLOSE]))] };
  },
  function unread(chance, parts) {
    const count = chance.magnitude(50, 4000);
    const small = { ...parts, body: Buffer.from('{}') };
    const one = chance.is(0.5) ? post(small, []) : LATIN(head('GET', '/healthz', [HOST]));
    return {
      kind: `unread ${count}`,
      steps: [
        { stopReading: true },
        ...chance.times(count, () => one),
        { pauseMs: chance.magnitude(100, 2500) },
        { reset: true },
      ],
    };
  },
  function slowly(chance, parts) {
    const whole = post(parts) as { readonly send: Buffer };
    const pieces = chance.magnitude(3, 40);
    const size = Math.ceil(whole.send.length / pieces);
    const steps = chance.times(pieces, (index): Step[] => [
      { send: whole.send.subarray(index * size, (index + 1) * size) },
      { pauseMs: chance.magnitude(5, 200) },
    ]);
    return { kind: 'slowly', steps: steps.flat() };
  },
  function cutOff(chance, parts) {
    const whole = post(parts) as { readonly send: Buffer };
    const cut: Step = chance.pick<Step>([{ end: true }, { reset: true }]);
    return {
      kind: 'cut off',
      steps: [
        { send: whole.send.subarray(0, chance.integer(1, whole.send.length)) },
        { pauseMs: chance.magnitude(1, 300) },
        cut,
      ],
    };
  },
  function silent(chance) {
    const begin = chance.pick([
      '',
      'P',
      'POST /callbacks HTTP/1.1\r\nHost: x\r\n',
      'POST /callbacks HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n',
    ]);
    return {
      kind: 'silent',
      steps: [{ send: begin }, { pauseMs: chance.magnitude(200, 3000) }, { reset: true }],
    };
  },
  function resetAtOnce(_chance, parts) {
    return { kind: 'reset after the request', steps: [post(parts), { reset: true }] };
  },
];

export function hostileFraming(chance: Chance, parts: Parts): Framing {
  return chance.pick(FRAMINGS)(chance, parts);
}
