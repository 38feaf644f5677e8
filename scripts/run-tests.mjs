// Runs all tests, group by group in processes of their own, several at once: most wait for programs, disks and browsers
// most of the time.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';

const MOCHA = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');

/** Those that take longest come first. */
const GROUPS = [
  'test/e2e/proofs/**/*.test.ts',
  'test/e2e/*.test.ts',
  'test/ledger/**/*.test.ts',
  'test/browser/**/*.test.ts',
  'test/{hostile,deploy}/**/*.test.ts',
];
const THE_OTHERS = ['test/**/*.test.ts', ...GROUPS.flatMap((group) => ['--ignore', group])];

// One more would have them wait for a processor, not for each other's pauses.
const AT_ONCE = Math.max(2, availableParallelism());

/**
 * What it says comes in one piece, when it is through.
 * @param {string[]} args
 * @returns {Promise<number>} its exit code
 */
async function run(args) {
  const child = spawn(process.execPath, [MOCHA, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  process.stdout.write(output);
  // None where a signal has ended it.
  return child.exitCode ?? 1;
}

const waiting = [...GROUPS.map((group) => [group]), THE_OTHERS];
/** @type {number[]} */
const codes = [];
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) codes.push(await run(next));
  }),
);
process.exitCode = Math.max(...codes);
