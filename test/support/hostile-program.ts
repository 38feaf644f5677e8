/** The built program with a small heap, between a strict Slack and a mail server: to be attacked, and to be alive after. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { request } from 'undici';
import type { ServeProcess } from './process.ts';
import { keyedCallback, keyOf } from './proof-tally.ts';
import { createProgramWorld, type ProgramSettings, type ProgramWorld } from './program-world.ts';
import { type Probe, timedRequest, type TimedRequest } from './timed-request.ts';

/** Not the attacker's 127.0.0.1. */
const HONEST_ADDRESS = '127.0.0.2';

/** Their BOTs' ids begin so. */
const HONEST_BOTS = 'honest-';

/** Megabytes of heap: what the promises about memory are made for. */
export const HEAP_MB = 256;

const HONEST_ROUTE = `  - { bot_id: '${HONEST_BOTS}*', notify: [{ slack: '#log' }] }`;

export interface HostileSettings extends Omit<ProgramSettings, 'routes'> {
  /** Routes before `default_route`, as YAML list items indented by two, e.g. `  - { bot_id: x, notify: [] }`. */
  readonly routes?: string;
  /** Megabytes; `HEAP_MB` where it is left out. */
  readonly heapMb?: number;
  /** Of Node, beside the heap's size. */
  readonly nodeArguments?: readonly string[];
}

export interface HostileProgram {
  readonly world: ProgramWorld;
  readonly botbell: ServeProcess;
  readonly port: number;
  /** Of the receiver, e.g. `/callbacks`. */
  readonly path: string;
  /** Posts these bytes as a callback, from 127.0.0.1 unless the options say otherwise. */
  post(body: string | Uint8Array, options?: Partial<TimedRequest>): Promise<Probe>;
  /** CPU time so far, all threads. */
  cpuMs(): number;
  metrics(): Promise<string>;
  /** Fails unless it runs, answers /healthz and an ordinary callback, and has logged nothing that nobody foresaw. */
  expectAlive(): Promise<void>;
  close(): Promise<void>;
}

export async function startHostileProgram(settings: HostileSettings = {}): Promise<HostileProgram> {
  const { heapMb = HEAP_MB, nodeArguments = [], routes = '', ...proofSettings } = settings;
  const world = await createProgramWorld({ ...proofSettings, routes: `routes:\n${HONEST_ROUTE}\n${routes}` });
  const botbell = await world.start({ nodeArguments: [`--max-old-space-size=${heapMb}`, ...nodeArguments] });
  const { port, pathname } = new URL(botbell.callbacksUrl);
  const place = { port: Number(port), path: pathname };
  return {
    world,
    botbell,
    ...place,
    post: (body, options) => timedRequest({ ...place, body, ...options }),
    cpuMs: () => cpuMsOf(botbell.pid),
    metrics: () => textAt(`${botbell.adminUrl}/metrics`),
    expectAlive: () => expectAlive(botbell, place),
    close: () => world.close(),
  };
}

/** proc(5): user and system time are in clock ticks, of which Linux has a hundred a second. */
const MS_PER_TICK = 10;

function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

async function textAt(url: string): Promise<string> {
  const { body } = await request(url);
  return body.text();
}

/** Keys of its own, far from those that honest clients count up. */
let lastKey = 900_000;

async function expectAlive(botbell: ServeProcess, place: Pick<TimedRequest, 'port' | 'path'>): Promise<void> {
  const ended = await Promise.race([botbell.exited(), Promise.resolve('running')]);
  expect(ended, botbell.log().slice(-2000)).to.equal('running');
  const health = await timedRequest({ ...place, path: '/healthz', from: HONEST_ADDRESS });
  expect(health.status, health.body).to.equal(200);
  lastKey += 1;
  const body = JSON.stringify(keyedCallback(keyOf(lastKey), { bot_id: `${HONEST_BOTS}last` }));
  const answer = await timedRequest({ ...place, body, from: HONEST_ADDRESS });
  expect(answer.status, answer.body).to.equal(200);
  const unforeseen = botbell
    .log()
    .split('\n')
    .filter((line) => /unforeseen error|unhandled/i.test(line));
  expect(unforeseen).to.deep.equal([]);
}
