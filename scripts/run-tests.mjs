// Runs all tests in several processes: those that start programs beside the others, since they wait most of the time, and
// those of the page when no program is tested any more, since a browser takes the processors from what is measured by the
// clock. What a process says comes when it is over, in one piece.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';

const MOCHA = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');

const PROOFS = 'test/e2e/proofs/**/*.test.ts';
const PROGRAMS = 'test/e2e/*.test.ts';
const PAGES = 'test/browser/**/*.test.ts';
const OTHERS = ['test/**/*.test.ts', ...[PROOFS, PROGRAMS, PAGES].flatMap((files) => ['--ignore', files])];

/**
 * @param {string[]} args
 * @returns {Promise<number>} its exit code, when what it says has been said
 */
async function run(...args) {
  const child = spawn(process.execPath, [MOCHA, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const output = text(child.stdout);
  await once(child, 'exit');
  process.stdout.write(await output);
  // None where a signal has ended it.
  return child.exitCode ?? 1;
}

async function runPrograms() {
  const codes = await Promise.all([run(PROOFS), run(PROGRAMS)]);
  return Math.max(...codes, await run(PAGES));
}

const codes = await Promise.all([run(...OTHERS), runPrograms()]);
process.exitCode = Math.max(...codes);
