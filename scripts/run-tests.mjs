// Runs all tests in four processes at once: three of them wait for programs, stores or a browser most of the time.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';

const MOCHA = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');

const PROGRAMS = 'test/e2e/**/*.test.ts';
const PAGES = 'test/browser/**/*.test.ts';
const STORES = 'test/{ledger,hostile}/**/*.test.ts';
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

// Whatever the others say comes after the first one's words, each in one piece.
const codes = await Promise.all([
  run([PROGRAMS], 'inherit'),
  run([PAGES], 'pipe'),
  run([STORES], 'pipe'),
  run([ALL, ...[PROGRAMS, PAGES, STORES].flatMap((others) => ['--ignore', others])], 'pipe'),
]);
process.exitCode = Math.max(...codes);
