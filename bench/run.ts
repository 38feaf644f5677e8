/** `npm run bench`: compares the product with bare programs, in turns, with the same stand-ins, and verifies every delivery. */
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compare } from './compare.ts';
import { describeMachine } from './machine.ts';
import type { Effort } from './measure.ts';
import { measureReplicas } from './replicas.ts';
import { comparisonTable, diskTable, replicaTable, soakTable, stallTable } from './report.ts';
import { measureSlowDisk } from './slow-disk.ts';
import { growthIn, soak } from './soak.ts';
import { measureStalls } from './stalls.ts';
import { bare, botbell } from './subjects.ts';

const PARTS = ['slack', 'disk', 'stalls', 'replicas', 'soak'];

const USAGE = `npm run bench -- [--quick] [--only=${PARTS.join(',')}] [--against=<folder>] [--rounds=<number>] [--minutes=<number>] [--profile=<folder>] [--store=<url>]`;

const QUICK: Effort = { rounds: 1, warmUp: 3000, measured: 4000, measuredLarge: 500, openLoopSeconds: 3 };
const WHOLE: Effort = {
  rounds: 3,
  warmUp: 10_000,
  measured: 10_000,
  measuredLarge: 2000,
  openLoopSeconds: 8,
};

interface Options {
  readonly parts: readonly string[];
  /** The folder of another version, built, that is measured in place of the bare programs. */
  readonly against?: string | undefined;
  readonly effort: Effort;
  /** The folder for CPU profiles, one per process of the product; its figures then include the profiler. */
  readonly profileFolder: string | undefined;
  /** Of the soak. */
  readonly minutes: number;
  /** URL of an empty database, in place of a new SQLite file for each round. */
  readonly store?: string | undefined;
}

/** @throws {Error} an argument that is not understood, with the choices */
function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      against: { type: 'string' },
      rounds: { type: 'string' },
      minutes: { type: 'string', default: '60' },
      profile: { type: 'string' },
      store: { type: 'string' },
    },
  });
  const isPostgres = values.store?.startsWith('postgres') === true;
  const usual = PARTS.filter((part) => part !== 'soak' && (part !== 'replicas' || isPostgres));
  const parts = values.only?.split(',') ?? usual;
  const unknown = parts.find((part) => !PARTS.includes(part));
  if (unknown !== undefined) throw new Error(`--only=${unknown}: it takes ${PARTS.join(', ')}`);
  if (parts.includes('replicas') && !isPostgres)
    throw new Error('--only=replicas: it needs --store=<url> of an empty PostgreSQL database');
  const effort = values.quick ? QUICK : WHOLE;
  const rounds = values.rounds === undefined ? effort.rounds : wholeNumber(values.rounds);
  const profileFolder = values.profile === undefined ? undefined : resolve(values.profile);
  if (profileFolder !== undefined) mkdirSync(profileFolder, { recursive: true });
  const minutes = wholeNumber(values.minutes);
  return { ...values, parts, effort: { ...effort, rounds }, profileFolder, minutes };
}

/** On an error prints it with the usage, and exits 2. */
function readOrExit(): Options {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    process.exit(2);
  }
}

/** @throws {Error} not a whole number from 1 on */
function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${text} is not a whole number from 1 on`);
  return value;
}

const { parts, against, effort, profileFolder, minutes, store } = readOrExit();
console.log(`Measured on: ${describeMachine()}.\n`);
if (profileFolder !== undefined) console.log('With the profiler running: no figure of the product counts.\n');
if (parts.includes('slack')) {
  const usual = [
    bare('bare-slack'),
    bare('bare'),
    botbell('botbell', { profileFolder, store }),
    botbell('botbell, accepted', { profileFolder, store, answerWhen: 'accepted' }),
  ];
  const versions = [botbell('the other version', { root: against }), botbell('this version')];
  const subjects = against === undefined ? usual : versions;
  console.log(`${comparisonTable(await compare(subjects, effort))}\n`);
}
if (parts.includes('disk'))
  console.log(`${diskTable(await measureSlowDisk(effort.rounds, effort.openLoopSeconds))}\n`);
if (parts.includes('stalls')) console.log(`${stallTable(await measureStalls(effort.rounds))}\n`);
if (parts.includes('replicas') && store !== undefined)
  console.log(`${replicaTable(await measureReplicas(store, effort))}\n`);
if (parts.includes('soak')) {
  const soaked = await soak(store, minutes);
  console.log(`${soakTable(soaked)}\n`);
  const grown = soaked.flatMap(growthIn);
  for (const each of grown) console.log(`has grown: ${each}`);
  if (grown.length > 0) process.exitCode = 1;
}
