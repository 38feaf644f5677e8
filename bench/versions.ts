/**
 * `npm run bench:versions -- <folder>`: what a notification costs by this version and by another one, whose clone, built,
 * is in the folder. Both live at once and take turns, block by block, so that a noisy machine disturbs both.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Load } from './load.ts';
import { describeMachine } from './machine.ts';
import { table } from './markdown.ts';
import { deliverAll } from './measure.ts';
import { readOrExit } from './options.ts';
import { StandIns } from './stand-ins.ts';
import { median, orderInRound, percentile } from './statistics.ts';
import { botbell, type Running } from './subjects.ts';

const USAGE = 'npm run bench:versions -- <folder of the other version, built> [--blocks=<number>]';

const BLOCKS = 24;

/** Callbacks; as many as take some hundred ticks of the CPU's clock. */
const BLOCK = 3000;

const WARM_UP = 10_000;

interface Version {
  readonly name: string;
  readonly running: Running;
  readonly load: Load;
  /** CPU µs per notification, one for each block. */
  readonly blocks: number[];
}

/** @throws {Error} what is missing */
function readArguments(args: readonly string[]): { readonly root: string; readonly blocks: number } {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { blocks: { type: 'string' } },
    allowPositionals: true,
  });
  const [root] = positionals;
  if (root === undefined || !existsSync(join(root, 'dist/main.js')))
    throw new Error(`${root ?? 'the folder of the other version'}: no dist/main.js is there`);
  const blocks = Number(values.blocks ?? BLOCKS);
  if (!Number.isInteger(blocks) || blocks < 1) throw new Error(`--blocks=${values.blocks}: a whole number`);
  return { root, blocks };
}

async function start(name: string, standIns: StandIns, root?: string): Promise<Version> {
  const running = await botbell(name, root === undefined ? {} : { root }).start(standIns);
  const load = new Load(running.url);
  await deliverAll(load, WARM_UP, standIns);
  return { name, running, load, blocks: [] };
}

async function measureBlock(
  { running: { child }, load, blocks }: Version,
  standIns: StandIns,
): Promise<void> {
  const before = child.cpuMicros();
  await deliverAll(load, BLOCK, standIns);
  blocks.push((child.cpuMicros() - before) / BLOCK);
}

function rowOf({ name, blocks, running }: Version, base: Version): string[] {
  const ratios = blocks.map((micros, block) => micros / (base.blocks[block] ?? Number.NaN));
  const quarters = [0.25, 0.75].map((share) => percentile(ratios, share).toFixed(2)).join(' to ');
  const { now, peak } = running.child.memoryMb();
  return [
    name,
    median(blocks).toFixed(0),
    `${median(ratios).toFixed(2)}×`,
    quarters,
    now.toFixed(0),
    peak.toFixed(0),
  ];
}

const { root, blocks } = readOrExit(readArguments, USAGE);
const standIns = await StandIns.start();
const versions = [await start('the other version', standIns, root), await start('this version', standIns)];
try {
  for (let block = 0; block < blocks; block += 1) {
    for (const version of orderInRound(versions, block)) await measureBlock(version, standIns);
  }
  const head = ['version', 'CPU µs per notification', 'of the other', 'half of the blocks', 'MB', 'peak MB'];
  const rows = versions.map((version) => rowOf(version, versions[0] as Version));
  console.log(`Measured on: ${describeMachine()}.\n\n${table(head, rows)}`);
  console.log(`\nMedians of ${blocks} blocks of ${BLOCK} callbacks, all of which arrived exactly once.`);
} finally {
  for (const { load, running } of versions) {
    await load.close();
    await running.end();
  }
  await standIns.close();
}
