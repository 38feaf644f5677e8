/** What a view takes, from the asking to its last byte, and for how long it holds up everybody else. */
import { request } from 'undici';
import { longestTurn } from '../stalls.ts';
import { percentile } from '../statistics.ts';

/** What is asked for, relative to the admin listener. */
export interface Visit {
  readonly what: string;
  readonly path: string;
}

export interface VisitFigures extends Visit {
  /** Milliseconds. */
  readonly median: number;
  readonly p95: number;
  /** Of the event loop, in milliseconds; the longest of all rounds. */
  readonly longestTurn: number;
  readonly bytes: number;
  /** HTTP status code of its answers. */
  readonly status: number;
}

/** Not counted: code is not compiled yet, and pages of the ledger are not in memory. */
const WARM_UP = 3;

/** @param socket where the program says how long its longest turn was */
export async function measureVisit(
  origin: string,
  visit: Visit,
  { socket, rounds }: { readonly socket: string; readonly rounds: number },
): Promise<VisitFigures> {
  let answer = { status: 0, bytes: 0 };
  for (let round = 0; round < WARM_UP; round += 1) answer = await ask(origin, visit);
  await longestTurn(socket);
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    await ask(origin, visit);
    times.push(performance.now() - startedAt);
  }
  const at = (share: number) => percentile(times, share);
  return { ...visit, median: at(0.5), p95: at(0.95), longestTurn: await longestTurn(socket), ...answer };
}

export async function ask(origin: string, { path }: Visit): Promise<Pick<VisitFigures, 'status' | 'bytes'>> {
  const headers = { accept: path.startsWith('/api/') ? 'application/json' : 'text/html' };
  const { statusCode, body } = await request(`${origin}${path}`, { headers });
  const { byteLength } = await body.arrayBuffer();
  return { status: statusCode, bytes: byteLength };
}
