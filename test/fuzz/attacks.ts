/** What one attack of a run does: the same for the same seed and index. */
import { goodBody, hostileBody } from './bodies.ts';
import type { Step } from './exchange.ts';
import { head, HOST, hostileFraming, JSON_TYPE, lengthOf, post } from './framings.ts';
import { Chance } from './random.ts';

export interface Attack {
  readonly index: number;
  readonly kind: string;
  /** Opened at the same time. */
  readonly connections: readonly (readonly Step[])[];
  /** Loopback address that they come from. */
  readonly from: string;
  /** Nothing that it sends may be answered 200. */
  readonly isAmbiguous: boolean;
  /** Each connection sends a whole request, and reads. */
  readonly expectsAnswer: boolean;
}

type Plan = Pick<Attack, 'kind' | 'connections'> & Partial<Pick<Attack, 'isAmbiguous' | 'expectsAnswer'>>;

const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'Application/JSON',
  'application/json;charset="UTF-8"',
];
const OTHER_TYPES = [
  'text/plain',
  'application/json; charset=shift_jis',
  'multipart/form-data; boundary=x',
  'application/jsonp',
  '',
];

/** @param path of the receiver, token included */
export function attackOf(seed: number, index: number, path: string): Attack {
  const chance = new Chance(seed, index, 'attack');
  const plan = chance.weighted<() => Plan>([
    [10, () => oneBody(chance, index, path)],
    [6, () => oneFraming(chance, index, path)],
    [2, () => twins(chance, index, path)],
    [1, () => crowd(chance, index, path)],
    [3, () => remote(chance, index, path)],
    [0.5, () => slowCrowd(chance, index, path)],
  ])();
  const from = chance.is(0.6) ? '127.0.0.1' : `127.0.3.${chance.integer(1, 250)}`;
  return { isAmbiguous: false, expectsAnswer: true, ...plan, index, from };
}

function oneBody(chance: Chance, index: number, path: string): Plan {
  const { kind, bytes, headers } = hostileBody(chance, index);
  const type = chance.is(0.95) ? chance.pick(TYPES) : chance.pick(OTHER_TYPES);
  const text = head('POST', path, [
    HOST,
    ['Content-Type', type],
    lengthOf(bytes),
    ...Object.entries(headers),
    ['Connection', 'close'],
  ]);
  return { kind, connections: [[{ send: text }, { send: bytes }]] };
}

function oneFraming(chance: Chance, index: number, path: string): Plan {
  const {
    kind,
    steps,
    isAmbiguous = false,
  } = hostileFraming(chance, { path, body: goodBody(chance, index) });
  return { kind: `framing: ${kind}`, connections: [steps], isAmbiguous, expectsAnswer: false };
}

/** The same callback several times at once. */
function twins(chance: Chance, index: number, path: string): Plan {
  const body = goodBody(chance, index, { bot_id: '"fuzz"' });
  return { kind: 'twins', connections: chance.times(chance.integer(2, 12), () => [post({ path, body })]) };
}

/** Many callbacks of one job, or of one BOT, at once. */
function crowd(chance: Chance, index: number, path: string): Plan {
  const isOneJob = chance.is(0.5);
  const connections = chance.times(chance.integer(10, 60), (number) => {
    const id = isOneJob ? '' : `-${number}`;
    const changes = { job_id: `"FZ${index}.${id}"`, message: `"${number}"`, bot_id: '"fuzz"' };
    return [post({ path, body: goodBody(chance, index, changes) })];
  });
  return { kind: isOneJob ? 'crowd of a job' : 'crowd of a BOT', connections };
}

/** To a Slack or a mail server that is hostile itself: see remotes.ts. */
function remote(chance: Chance, index: number, path: string): Plan {
  const bot = chance.pick(['remote-slack', 'remote-mail']);
  const connections = chance.times(chance.integer(1, 3), (number) => {
    const changes = { bot_id: `"${bot}"`, message: `"${number}"` };
    return [post({ path, body: goodBody(chance, index, changes) })];
  });
  return { kind: bot, connections };
}

/** Bodies that come slowly, from many connections. */
function slowCrowd(chance: Chance, index: number, path: string): Plan {
  const body = goodBody(chance, index);
  const text = head('POST', path, [HOST, JSON_TYPE, lengthOf(body), ['Connection', 'close']]);
  const connections = chance.times(chance.integer(20, 150), (): Step[] => [
    { send: text },
    { pauseMs: chance.integer(500, 3000) },
    { send: body.subarray(0, 20) },
    { pauseMs: chance.integer(100, 1000) },
    chance.is(0.5) ? { reset: true } : { send: body.subarray(20) },
  ]);
  return { kind: 'slow crowd', connections, expectsAnswer: false };
}
