/** What one attack of a run posts: the same for the same seed and index. */
import { goodBody, type HostileBody, hostileBody } from './bodies.ts';
import { Chance } from './random.ts';

/** Posted at the same time. */
export type Attack = readonly HostileBody[];

const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'Application/JSON',
  'application/json;charset="UTF-8"',
];
const OTHER_TYPES = ['text/plain', 'application/json; charset=shift_jis', 'application/jsonp'];

export function attackOf(seed: number, index: number): Attack {
  const chance = new Chance(seed, index, 'attack');
  return chance.weighted<() => Attack>([
    [10, () => [oneBody(chance, index)]],
    [2, () => twins(chance, index)],
    [1, () => crowd(chance, index)],
    [3, () => remote(chance, index)],
  ])();
}

function oneBody(chance: Chance, index: number): HostileBody {
  const { kind, bytes, headers } = hostileBody(chance, index);
  const type = chance.is(0.95) ? chance.pick(TYPES) : chance.pick(OTHER_TYPES);
  return { kind, bytes, headers: { 'content-type': type, ...headers } };
}

function good(kind: string, bytes: Buffer): HostileBody {
  return { kind, bytes, headers: { 'content-type': 'application/json' } };
}

/** The same callback several times at once. */
function twins(chance: Chance, index: number): Attack {
  const body = goodBody(chance, index, { bot_id: '"fuzz"' });
  return chance.times(chance.integer(2, 12), () => good('twins', body));
}

/** Many callbacks of one job, or of one BOT, at once. */
function crowd(chance: Chance, index: number): Attack {
  const isOneJob = chance.is(0.5);
  return chance.times(chance.integer(10, 60), (number) => {
    const id = isOneJob ? '' : `-${number}`;
    const changes = { job_id: `"FZ${index}.${id}"`, message: `"${number}"`, bot_id: '"fuzz"' };
    return good('crowd', goodBody(chance, index, changes));
  });
}

/** To a Slack or a mail server that is hostile itself: see remotes.ts. */
function remote(chance: Chance, index: number): Attack {
  const bot = chance.pick(['remote-slack', 'remote-mail']);
  return chance.times(chance.integer(1, 3), (number) =>
    good(bot, goodBody(chance, index, { bot_id: `"${bot}"`, message: `"${number}"` })),
  );
}
