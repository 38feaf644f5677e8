/** How long one callback holds up everybody else, whatever its shape: the longest turn of the product's event loop. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { HEAVY_SHAPES } from '../test/hostile/heavy-shapes.ts';
import { BOT_ID, sampleCallback } from './callbacks.ts';
import type { StallEffort } from './options.ts';
import { discard, folderInMemory } from './scratch.ts';
import { StandIns } from './stand-ins.ts';
import { median } from './statistics.ts';
import { botbell } from './subjects.ts';
import { LONGEST_STALL } from './targets.ts';

/** What follows an answer: its log line, its metrics, garbage. */
const AFTERMATH_MS = 50;

const WARM_UP = 300;

/** The rest of a heavy one may still be under way, for the Slack stand-in to take. */
const REST_MS = 300;

export interface Stall {
  readonly shape: string;
  readonly bytes: number;
  /** Milliseconds. */
  readonly longestTurn: number;
  /** HTTP status codes of its answers. */
  readonly statuses: readonly number[];
}

/** Each shape in each size, on one process; the median of the rounds. */
export async function measureStalls({ rounds, sizes }: StallEffort): Promise<Stall[]> {
  const folder = folderInMemory();
  const socket = join(folder, 'longest-turn');
  // Of its own: not every shape leaves room for a number that the others' proof could go by.
  const standIns = await StandIns.start();
  const running = await botbell('stalls', { longestTurnSocket: socket }).start(standIns);
  const post = (body: string) => postAndWatch(running.url, socket, body);
  try {
    for (let index = 0; index < WARM_UP; index += 1) await postOnce(running.url, sampleOf('warm-up', index));
    const stalls: Stall[] = [await firstLarge(post)];
    for (const bytes of sizes) {
      console.error(`stalls: ${bytes} bytes`);
      // Larger ones than the limit is for take seconds each.
      const times = bytes > LONGEST_STALL.bytes ? 1 : rounds;
      for (const shape of Object.keys(HEAVY_SHAPES)) stalls.push(await stallOf(shape, bytes, times, post));
    }
    return stalls;
  } finally {
    await running.end();
    await standIns.close();
    discard(folder);
  }
}

type Post = (body: string) => Promise<Pick<Stall, 'longestTurn'> & { readonly status: number }>;

/** It starts the thread of large callbacks. */
async function firstLarge(post: Post): Promise<Stall> {
  const bytes = 100_000;
  const body = bodyOf('one long message', bytes, 0);
  const { longestTurn, status } = await post(body);
  return { shape: 'the first large one of a process', bytes, longestTurn, statuses: [status] };
}

async function stallOf(shape: string, bytes: number, rounds: number, post: Post): Promise<Stall> {
  const turns: number[] = [];
  const statuses = new Set<number>();
  for (let round = 0; round < rounds; round += 1) {
    const { longestTurn, status } = await post(bodyOf(shape, bytes, round));
    turns.push(longestTurn);
    statuses.add(status);
  }
  return { shape, bytes, longestTurn: median(turns), statuses: [...statuses] };
}

/** At most so many bytes, and hardly fewer. */
function bodyOf(shape: string, bytes: number, round: number): string {
  const callback = JSON.parse(sampleOf(`${shape} ${bytes}`, round)) as Record<string, unknown>;
  const make = (size: number) => HEAVY_SHAPES[shape]?.(size, callback) ?? '';
  let body = make(bytes);
  for (let size = bytes; Buffer.byteLength(body) > bytes;) {
    size -= Buffer.byteLength(body) - bytes;
    body = make(size);
  }
  return body;
}

function sampleOf(what: string, index: number): string {
  const { output: _, ...callback } = JSON.parse(sampleCallback()) as Record<string, unknown>;
  return JSON.stringify({ ...callback, bot_id: BOT_ID, job_id: `${what}, ${index}` });
}

async function postAndWatch(url: string, socket: string, body: string) {
  await sleep(REST_MS);
  await longestTurn(socket);
  const status = await postOnce(url, body);
  await sleep(AFTERMATH_MS);
  return { status, longestTurn: await longestTurn(socket) };
}

async function postOnce(url: string, body: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const { statusCode, body: answer } = await request(url, { method: 'POST', headers, body });
  await answer.dump();
  return statusCode;
}

/** Milliseconds, since it was last asked. */
export async function longestTurn(path: string): Promise<number> {
  const socket = connect(path);
  await once(socket, 'connect');
  return JSON.parse(await text(socket)) as number;
}
