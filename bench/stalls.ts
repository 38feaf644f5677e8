/** Measures the longest turn of the product's event loop for callbacks of heavy shapes, which delays all others. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { HEAVY_SHAPES } from '../test/hostile/heavy-shapes.ts';
import { sampleCallback } from './callbacks.ts';
import { askInside, type Inside } from './inside.ts';
import { withStarted } from './measure.ts';
import { folderInMemory } from './scratch.ts';
import { median } from './statistics.ts';
import { botbell } from './subjects.ts';

export const SMALL_BYTES = 100_000;
export const LARGE_BYTES = 1_000_000;

/** Wait for the work after an answer: its log line, metrics and garbage collection. */
const AFTERMATH_MS = 50;

const WARM_UP = 300;

/** Wait before each callback, since a part of the last one may still be on its way to the Slack stand-in. */
const REST_MS = 300;

interface Turn {
  /** The longest turn, in milliseconds. */
  readonly ms: number;
  /** HTTP status code of the answer. */
  readonly status: number;
}

export interface Stall {
  readonly shape: string;
  readonly small: Turn;
  readonly large: Turn;
}

/** Posts each shape in both sizes to one process. @returns the medians of the rounds */
export async function measureStalls(rounds: number): Promise<Stall[]> {
  const folder = folderInMemory();
  const inside: Inside = { program: 'longest-turn', socket: join(folder, 'longest-turn') };
  // Nothing is verified: not every shape has room for the number by which that is done.
  return withStarted(botbell('stalls', { inside }), async ({ running: { url } }) => {
    const turnOf = async (shape: string, bytes: number): Promise<Turn> => {
      const turns: Turn[] = [];
      for (let round = 0; round < rounds; round += 1)
        turns.push(await postAndWatch(url, inside, bodyOf(shape, bytes, round)));
      return { ms: median(turns.map(({ ms }) => ms)), status: turns[0]?.status ?? 0 };
    };
    for (let index = 0; index < WARM_UP; index += 1) await post(url, sampleOf('warm-up', index));
    const stalls: Stall[] = [];
    for (const shape of Object.keys(HEAVY_SHAPES))
      stalls.push({
        shape,
        small: await turnOf(shape, SMALL_BYTES),
        large: await turnOf(shape, LARGE_BYTES),
      });
    return stalls;
  });
}

/** A callback of at most `bytes`, and hardly fewer. */
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
  return JSON.stringify({ ...callback, job_id: `${what}, ${index}` });
}

async function postAndWatch(url: string, inside: Inside, body: string): Promise<Turn> {
  await sleep(REST_MS);
  await askInside(inside);
  const status = await post(url, body);
  await sleep(AFTERMATH_MS);
  return { ms: await askInside(inside), status };
}

async function post(url: string, body: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const { statusCode, body: answer } = await request(url, { method: 'POST', headers, body });
  await answer.dump();
  return statusCode;
}
