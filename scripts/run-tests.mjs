// Runs all tests in two processes at once, one of which waits for programs and disks most of the time; then those of the
// page, whose browser would take the processors from what others measure by the clock.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';

const MOCHA = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');

const PROGRAMS = 'test/e2e/**/*.test.ts';
const PAGES = 'test/browser/**/*.test.ts';
const ALL = 'test/**/*.test.ts';

/**
 * @param {string[]} args
 * @param {'inherit' | 'pipe'} stdout
 * @returns {Promise<number>} its exit code, when what it says has been said
 */
async function run(args, stdout) {
  const child = spawn(process.execPath, [MOCHA, ...args], { stdio: ['ignore', stdout, 'inherit'] });
  const output = child.stdout === null ? undefined : text(child.stdout);
  await once(child, 'exit');
  if (output !== undefined) process.stdout.write(await output);
  // None where a signal has ended it.
  return child.exitCode ?? 1;
}

// Whatever the second one says comes after the first one's words, in one piece.
const codes = await Promise.all([
  run([PROGRAMS], 'inherit'),
  run([ALL, '--ignore', PROGRAMS, '--ignore', PAGES], 'pipe'),
]);
codes.push(await run([PAGES], 'inherit'));
process.exitCode = Math.max(...codes);
