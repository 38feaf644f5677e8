/**
 * `npm run bench:versions -- <folder>`: compares this version, in turns, with another one, whose built clone is in the folder.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readOrExit, wholeNumber } from './command-line.ts';
import { compare } from './compare.ts';
import { describeMachine } from './machine.ts';
import type { Effort } from './measure.ts';
import { comparisonTable } from './report.ts';
import { botbell } from './subjects.ts';

const USAGE = 'npm run bench:versions -- <folder of the other version, built> [--rounds=<number>]';

interface Options {
  readonly root: string;
  readonly effort: Effort;
}

/** @throws {Error} the folder has no build, or a number is not whole */
function readArguments(args: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    options: { rounds: { type: 'string', default: '8' } },
    allowPositionals: true,
  });
  const [root] = positionals;
  if (root === undefined || !existsSync(join(root, 'dist/main.js')))
    throw new Error(`${root ?? 'the folder of the other version'}: no dist/main.js is there`);
  const rounds = wholeNumber(values.rounds);
  return { root, effort: { rounds, warmUp: 6000, measured: 6000, measuredLarge: 1000, openLoopSeconds: 4 } };
}

const { root, effort } = readOrExit(readArguments, USAGE);
const subjects = [botbell('the other version', { root }), botbell('this version')];
console.log(`Measured on: ${describeMachine()}.\n`);
console.log(comparisonTable(await compare(subjects, effort)));
