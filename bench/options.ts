/** The command line of `npm run bench -- …`, and how much work each setting means. */
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export const PARTS = ['slack', 'postgres', 'mail', 'growth', 'stalls'] as const;

export type Part = (typeof PARTS)[number];

export const USAGE = `npm run bench -- [--quick] [--only=${PARTS.join(',')}] [--rounds=<number>] [--profile=<folder>]`;

export interface Options {
  readonly parts: readonly Part[];
  /** Where the product leaves its CPU profiles, one a process; its figures then include the profiler. */
  readonly profileFolder: string | undefined;
  readonly comparison: ComparisonEffort;
  readonly mail: ComparisonEffort;
  readonly growth: GrowthEffort;
  readonly stalls: StallEffort;
}

export interface ComparisonEffort {
  readonly rounds: number;
  /** The first thousands cost double: code is not compiled yet. */
  readonly warmUp: number;
  readonly measured: number;
  readonly openLoopSeconds: number;
}

export interface GrowthEffort {
  readonly rounds: number;
  readonly windows: number;
  readonly warmUp: number;
  readonly measured: number;
  /** The callbacks that a full ledger holds. */
  readonly full: number;
  /** The callbacks of one long job. */
  readonly longJob: number;
}

export interface StallEffort {
  readonly rounds: number;
  /** Bytes of a callback. */
  readonly sizes: readonly number[];
}

/** The largest that is handled on the event loop, and what a thread handles up to the default of `max_body`. */
const SIZES = [32 * 1024 - 1, 100_000, 1_000_000, 8_000_000];

/** @throws {Error} what cannot be understood, with the choices */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      rounds: { type: 'string' },
      profile: { type: 'string' },
    },
  });
  const rounds = values.rounds === undefined ? undefined : positiveInteger(values.rounds);
  const comparison = comparisonEffort(values.quick, rounds);
  return {
    parts: values.only === undefined ? PARTS : values.only.split(',').map(asPart),
    profileFolder: values.profile === undefined ? undefined : createdFolder(values.profile),
    comparison,
    // Two subjects and one figure that counts.
    mail: { ...comparison, rounds: rounds ?? Math.min(comparison.rounds, 3) },
    growth: growthEffort(values.quick, rounds),
    stalls: { rounds: rounds ?? (values.quick ? 3 : 5), sizes: SIZES.slice(0, values.quick ? 3 : 4) },
  };
}

function comparisonEffort(isQuick: boolean, rounds: number | undefined): ComparisonEffort {
  return isQuick
    ? { rounds: rounds ?? 1, warmUp: 3000, measured: 4000, openLoopSeconds: 3 }
    : { rounds: rounds ?? 5, warmUp: 10_000, measured: 10_000, openLoopSeconds: 8 };
}

function growthEffort(isQuick: boolean, rounds: number | undefined): GrowthEffort {
  return isQuick
    ? { rounds: rounds ?? 1, windows: 2, warmUp: 2000, measured: 1500, full: 10_000, longJob: 500 }
    : { rounds: rounds ?? 3, windows: 3, warmUp: 8000, measured: 6000, full: 1_000_000, longJob: 5000 };
}

function asPart(text: string): Part {
  const part = PARTS.find((each) => each === text);
  if (part === undefined) throw new Error(`--only=${text}: it takes ${PARTS.join(', ')}`);
  return part;
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--rounds=${text}: it takes a whole number`);
  return value;
}

function createdFolder(path: string): string {
  mkdirSync(path, { recursive: true });
  return resolve(path);
}

/** Ends the process where the arguments cannot be understood, saying why. */
export function readOrExit<Read>(read: (args: readonly string[]) => Read, usage: string): Read {
  try {
    return read(process.argv.slice(2));
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}
