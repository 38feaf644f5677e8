/**
 * Whatever a stranger sends, in whatever place: twice as much takes no more than about twice as long. Each kind of text in
 * each place goes one of the ways; which one, the seed says, so that all of them come up in turn.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { DatabaseLedger } from '../../src/ledger/database-ledger.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { systemClock } from '../../src/time/clock.ts';
import { type Post, postOf, type Way, WAY_NAMES, type WayName, waysOf } from './callback-ways.ts';
import { writeEveryFilter } from './every-filter.ts';
import { bodyOf, KINDS, PLACES, SHAPES } from './hostile-callbacks.ts';

/** `SEED=12 npx mocha test/hostile/growth.test.ts` makes the same choices again. */
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1000));

/** UTF-16 code units, or bytes of a shape; what takes its square takes most of a second of it. */
const SIZE = 16_384;

/** Milliseconds of CPU: less says more of the machine than of us. */
const NEGLIGIBLE = 20;

/** Linear is 2; caches and the garbage collector add to it. */
const MOST_GROWTH = 3;

/** Of the doubling before: what is first cut at some size takes a step up there, and grows in proportion on either side. */
const LEAST_BEFORE = 2.5;

interface Candidate {
  readonly name: string;
  readonly post: (size: number) => Post;
  /** The ways that it goes, by their place among all, when the seed is 0. */
  readonly ways: readonly number[];
}

const TEXTS: readonly Candidate[] = [...KINDS].flatMap(([kind, text], ofKinds) =>
  [...PLACES.keys()].map((place, ofPlaces) => ({
    name: `${kind}, in ${place}`,
    post: (size: number) => postOf(bodyOf(place, text(size), ofPlaces % 2)),
    ways: [(ofKinds + ofPlaces) % WAY_NAMES.length],
  })),
);

const CANDIDATES: readonly Candidate[] = [
  ...TEXTS,
  ...[...SHAPES].map(([name, bodyText]) => ({
    name,
    post: (size: number) => postOf(Buffer.from(bodyText(size))),
    ways: [...WAY_NAMES.keys()],
  })),
];

/** Milliseconds of CPU, whatever else the machine does. */
async function costOf(way: Way, post: Post): Promise<number> {
  const before = process.cpuUsage();
  await way(post);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function leastCostOf(way: Way, post: Post, times: number): Promise<number> {
  let least = Infinity;
  for (let time = 0; time < times; time += 1) least = Math.min(least, await costOf(way, post));
  return least;
}

/** Of what is cut before the costly part, only smaller sizes show how it grows. */
const DOUBLED = [SIZE, SIZE / 2, SIZE / 4, SIZE / 8];

/** A first look, and how often before anything is said. */
const TIMES = [1, 3, 5];

/** In words, where it grows faster than what was sent. */
async function growthOf(way: Way, { name, post }: Candidate): Promise<string | undefined> {
  if ((await costOf(way, post(2 * SIZE))) < NEGLIGIBLE) return undefined;
  for (const size of DOUBLED) {
    const [once, twice] = await doubling(way, post(size), post(2 * size));
    if (!isTooMuch(once, twice)) continue;
    const half = await leastCostOf(way, post(size / 2), 5);
    if (once > LEAST_BEFORE * half)
      return `${name}: ${half.toFixed()} ms of ${size / 2}, ${once.toFixed()} of ${size}, ${twice.toFixed()} of ${2 * size}`;
  }
  return undefined;
}

/** Costs of one size and of the double. */
async function doubling(way: Way, small: Post, large: Post): Promise<readonly [number, number]> {
  let costs: readonly [number, number] = [0, 0];
  for (const times of TIMES) {
    costs = [await leastCostOf(way, small, times), await leastCostOf(way, large, times)];
    if (!isTooMuch(...costs)) break;
  }
  return costs;
}

function isTooMuch(once: number, twice: number): boolean {
  return twice >= NEGLIGIBLE && twice > MOST_GROWTH * once;
}

describe(`What strangers send (SEED=${SEED})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'botbell-growth-'));
  let ledger: DatabaseLedger;
  let ways: Readonly<Record<WayName, Way>>;

  before(async () => {
    const templates = join(folder, 'templates');
    writeEveryFilter(templates, SEED);
    ledger = await openLedger(`sqlite:${join(folder, 'botbell.db')}`, {
      clock: systemClock,
      owner: 'growth',
      leaseMs: 60_000,
      takeOverAfterMs: 60_000,
      timezone: 'UTC',
    });
    ways = waysOf(ledger, templates);
  });

  after(async () => {
    await ledger.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [index, name] of WAY_NAMES.entries()) {
    it(`takes no more time than in proportion to its size: ${name}`, async () => {
      const way = ways[name];
      const found: string[] = [];
      const turn = (index + SEED) % WAY_NAMES.length;
      for (const candidate of CANDIDATES.filter((each) => each.ways.includes(turn))) {
        const growth = await growthOf(way, candidate);
        if (growth !== undefined) found.push(growth);
      }
      expect(found, `SEED=${SEED}`).to.deep.equal([]);
    });
  }
});
