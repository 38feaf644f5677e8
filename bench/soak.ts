/** Posts at a steady rate for long to a product that forgets all the while: nothing of it may grow. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startOwnPostgres } from '../test/support/postgres-server.ts';
import { askInside, type Inside } from './inside.ts';
import { deliverAtRate, withStarted } from './measure.ts';
import { discard, folderOnDisk } from './scratch.ts';
import { percentile } from './statistics.ts';
import { botbell } from './subjects.ts';

/** Callbacks a second. */
export const SOAK_RATE = 100;

/** `store.keep`: what came is forgotten some three minutes after that, once in a minute. */
const KEEP = '2m';

const MINUTE_S = 60;
const WARM_UP = 3000;
const MB = 1024 * 1024;

export interface Minute {
  /** Milliseconds. */
  readonly p99: number;
  /** Without garbage; and resident. */
  readonly heapMb: number;
  readonly residentMb: number;
  /** On disk, with its log. */
  readonly storeMb: number;
  /** Tables of PostgreSQL with many more dead rows than live ones, and how many. */
  readonly littered: readonly string[];
}

/** Bytes of a callback that outlive it: what its run came to is known for 62 days, so that a late retry counts once. */
const KEPT_OF_CALLBACK = 250;

const MOST_GROWTH_MB = 8;
const MOST_GROWTH = 1.2;

export interface Soaked {
  readonly store: string;
  readonly minutes: number;
  readonly first: Minute;
  readonly middle: Minute;
  readonly last: Minute;
  /** Of any minute. */
  readonly littered: readonly string[];
}

/** What a store tells of itself. */
interface Watched {
  readonly url: string;
  readonly storeMb: () => Promise<number>;
  readonly littered: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

/** @param url of an empty database; undefined: a new SQLite file, and a PostgreSQL of its own with the settings of a new one */
export async function soak(url: string | undefined, minutes: number): Promise<readonly Soaked[]> {
  if (url !== undefined) return [await soakOver('the store', watchDatabase(url), minutes)];
  const sqlite = await soakOver('SQLite', newFile(), minutes);
  const server = await startOwnPostgres([]);
  try {
    return [sqlite, await soakOver('PostgreSQL', watchDatabase(await server.createDatabase()), minutes)];
  } finally {
    await server.close();
  }
}

/** What has grown: of the store from the middle on, when as much is forgotten as comes. @returns one sentence each */
export function growthIn({ store, minutes, first, middle, last, littered }: Soaked): readonly string[] {
  const callbacks = (minutes / 2) * MINUTE_S * SOAK_RATE;
  const mostMb = middle.storeMb * MOST_GROWTH + (callbacks * KEPT_OF_CALLBACK) / MB;
  const grown = [...littered];
  if (last.heapMb - first.heapMb > MOST_GROWTH_MB)
    grown.push(`the heap: ${first.heapMb} MB, then ${last.heapMb} MB`);
  if (last.storeMb > mostMb) grown.push(`the store: ${middle.storeMb} MB, then ${last.storeMb} MB`);
  return grown.map((each) => `${store}: ${each}`);
}

function newFile(): Watched {
  const folder = folderOnDisk();
  const file = join(folder, 'botbell.db');
  const bytesOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return {
    url: `sqlite:${file}`,
    storeMb: () => Promise.resolve((bytesOf(file) + bytesOf(`${file}-wal`)) / MB),
    littered: () => Promise.resolve([]),
    close: () => Promise.resolve(discard(folder)),
  };
}

/** Of what autovacuum leaves by itself: it looks once a minute, and not at a few rows. */
const IS_LITTERED = 'n_dead_tup > 2 * n_live_tup + 1000';

function watchDatabase(url: string): Watched {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  return {
    url,
    storeMb: async () => {
      const { rows } = await pool.query<{ bytes: string }>(
        'SELECT pg_database_size(current_database()) AS bytes',
      );
      return Number(rows[0]?.bytes) / MB;
    },
    littered: async () => {
      const { rows } = await pool.query<{ said: string }>(
        `SELECT format('%s: %s dead, %s live', relname, n_dead_tup, n_live_tup) AS said
         FROM pg_stat_user_tables WHERE ${IS_LITTERED} ORDER BY relname`,
      );
      return rows.map(({ said }) => said);
    },
    close: () => pool.end(),
  };
}

async function soakOver(name: string, store: Watched, minutes: number): Promise<Soaked> {
  const folder = folderOnDisk();
  const inside: Inside = { program: 'heap', socket: join(folder, 'heap') };
  const subject = botbell('soak', { store: store.url, keep: KEEP, inside });
  try {
    return await withStarted(subject, async ({ load, running, ...laboratory }) => {
      const post = (count: number) => deliverAtRate(load, count, SOAK_RATE, laboratory);
      await post(WARM_UP);
      const soaked: Minute[] = [];
      for (let minute = 0; minute < minutes; minute += 1) {
        const p99 = percentile(await post(SOAK_RATE * MINUTE_S), 0.99);
        const residentMb = running.child.memoryMb().now;
        const heapMb = (await askInside(inside)) / MB;
        const [storeMb, littered] = await Promise.all([store.storeMb(), store.littered()]);
        soaked.push({ p99, residentMb, heapMb, storeMb, littered });
        console.error(`${name}, minute ${minute + 1} of ${minutes}: ${JSON.stringify(soaked.at(-1))}`);
      }
      return soakedIn(name, soaked);
    });
  } finally {
    await store.close();
    discard(folder);
  }
}

function soakedIn(store: string, all: readonly Minute[]): Soaked {
  const at = (share: number) => all[Math.floor((all.length - 1) * share)] as Minute;
  const littered = all.flatMap((each) => each.littered);
  return { store, minutes: all.length, first: at(0), middle: at(0.5), last: at(1), littered };
}
