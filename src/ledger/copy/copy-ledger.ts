/** Copies a ledger into an empty one, in either database, slice by slice. */
import type { Clock } from '../../time/clock.ts';
import type { OpenStore } from '../dialect.ts';
import { inspectStore } from '../inspect-store.ts';
import { openStore } from '../open-ledger.ts';
import { contentsOf, differenceOf, type TableContent } from './contents.ts';
import { COPIED_TABLES } from './copied-tables.ts';
import { type Access, expectThisVersion, expectUnused, readingAlone } from './ends.ts';
import { isSamePlace } from './same-place.ts';
import { convertedParts, slicesOf } from './slices.ts';
import { CopyTarget, targetStateOf } from './target.ts';

export interface CopyProgress {
  readonly table: string;
  readonly done: number;
  readonly total: number;
}

export interface CopyOptions {
  readonly clock: Clock;
  /** After each slice. */
  readonly onProgress: (progress: CopyProgress) => void;
  /** Left out: as many as make a good slice. */
  readonly rowsAtOnce?: number;
}

const IN_MEMORY = 'a ledger in memory is known to its service alone, and cannot be copied';

/**
 * @param from `sqlite:PATH` or `postgres://…`: a ledger that nobody uses
 * @param to one that is empty, or not there yet
 * @returns what each of them holds then
 * @throws {Error} why it cannot be, or was not, copied: what was begun is refused as a ledger until it is copied anew
 */
export async function copyLedger(
  from: string,
  to: string,
  options: CopyOptions,
): Promise<readonly TableContent[]> {
  const { clock } = options;
  if ([from, to].includes('sqlite::memory:')) throw new Error(IN_MEMORY);
  if (isSamePlace(from, to)) throw new Error('--from and --to name the same ledger');
  const state = await saidOf('--from', inspectStore(from));
  if (state === 'new')
    throw new Error('--from: there is no ledger there: is this the folder that Botbell runs in?');
  const targetState = await saidOf('--to', targetStateOf(to));
  return withStore('--from', from, clock, async (source) => {
    await saidOf('--from', expectThisVersion(source, clock));
    await saidOf('--from', expectUnused(source, clock));
    return withStore('--to', to, clock, async (store) => {
      const target = new CopyTarget(store, clock);
      await saidOf('--to', target.prepare(targetState));
      return copyAll(source, target, options);
    });
  });
}

/** @param option by which the ledger was named */
async function saidOf<T>(option: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new Error(`${option}: ${messageOf(error)}`, { cause: error });
  }
}

async function withStore<T>(
  option: string,
  url: string,
  clock: Clock,
  work: (store: OpenStore) => Promise<T>,
): Promise<T> {
  const store = await saidOf(option, openStore(url, { clock }));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function copyAll(
  source: OpenStore,
  target: CopyTarget,
  options: CopyOptions,
): Promise<readonly TableContent[]> {
  try {
    const contents = await readingAlone(source, options.clock, (read) => copyTables(read, target, options));
    await saidOf('--from', expectUnused(source, options.clock));
    await target.finish();
    return contents;
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(`the copy was not finished: ${reason}; run it again, which begins it anew`, {
      cause: error,
    });
  }
}

/** @returns what both hold. @throws {Error} they do not hold the same */
async function copyTables(
  read: Access,
  target: CopyTarget,
  { onProgress, rowsAtOnce }: CopyOptions,
): Promise<readonly TableContent[]> {
  const before = await read((db) => contentsOf(db));
  const totals = new Map(before.map(({ table, rows }) => [table, rows]));
  for (const table of COPIED_TABLES) {
    let done = 0;
    for await (const slice of slicesOf(read, table, rowsAtOnce)) {
      for await (const part of convertedParts(table, slice, target)) await target.add(table, part);
      done += slice.length;
      onProgress({ table: table.name, done, total: totals.get(table.name) ?? 0 });
    }
  }
  // Were it written meanwhile, the copy would be neither what it was nor what it is.
  const after = await read((db) => contentsOf(db));
  const difference = differenceOf(before, after) ?? differenceOf(after, await target.contents());
  if (difference !== undefined) throw new Error(difference);
  return after;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
