/**
 * `npm run bench:versions -- <folder>`: what a notification costs by this version and by another one, whose clone, built,
 * is in the folder. Both live at once and take turns, block by block, so that a noisy machine disturbs both.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readOrExit, wholeNumber } from './command-line.ts';
import { Load } from './load.ts';
import { describeMachine } from './machine.ts';
import { deliverAll } from './measure.ts';
import { table } from './report.ts';
import { StandIns } from './stand-ins.ts';
import { median, orderInRound, percentile } from './statistics.ts';
import { botbell, type Running } from './subjects.ts';

const USAGE =
  'npm run bench:versions -- <folder of the other version, built> [--blocks=<number>] [--bytes=<of a callback>]';

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

interface Options {
  readonly root: string;
  readonly blocks: number;
  readonly bytes: number;
}

/** @throws {Error} what is missing */
function readArguments(args: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    options: {
      blocks: { type: 'string', default: '24' },
      bytes: { type: 'string', default: '1024' },
    },
    allowPositionals: true,
  });
  const [root] = positionals;
  if (root === undefined || !existsSync(join(root, 'dist/main.js')))
    throw new Error(`${root ?? 'the folder of the other version'}: no dist/main.js is there`);
  return { root, blocks: wholeNumber(values.blocks), bytes: wholeNumber(values.bytes) };
}

async function start(name: string, standIns: StandIns, bytes: number, root?: string): Promise<Version> {
  const running = await botbell(name, { root }).start(standIns);
  const load = new Load(running.url);
  await deliverAll(load, WARM_UP, standIns, bytes);
  return { name, running, load, blocks: [] };
}

async function measureBlock(version: Version, standIns: StandIns, bytes: number): Promise<void> {
  const { child } = version.running;
  const before = child.cpuMicros();
  await deliverAll(version.load, BLOCK, standIns, bytes);
  version.blocks.push((child.cpuMicros() - before) / BLOCK);
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

const { root, blocks, bytes } = readOrExit(readArguments, USAGE);
const standIns = await StandIns.start();
const versions = [
  await start('the other version', standIns, bytes, root),
  await start('this version', standIns, bytes),
];
try {
  for (let block = 0; block < blocks; block += 1) {
    for (const version of orderInRound(versions, block)) await measureBlock(version, standIns, bytes);
  }
  const head = ['version', 'CPU µs per notification', 'of the other', 'half of the blocks', 'MB', 'peak MB'];
  const rows = versions.map((version) => rowOf(version, versions[0] as Version));
  console.log(`Measured on: ${describeMachine()}.\n\n${table(head, rows)}`);
  console.log(
    `\nMedians of ${blocks} blocks of ${BLOCK} callbacks of ${bytes} bytes, all of which arrived exactly once.`,
  );
} finally {
  for (const { load, running } of versions) {
    await load.close();
    await running.end();
  }
  await standIns.close();
}
