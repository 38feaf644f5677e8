#!/usr/bin/env node
/** The process: arguments to a command, exit code. */
import { buffer } from 'node:stream/consumers';
import { runProgram } from './cli/program.ts';

// Whoever read what it prints may be gone: that is no reason to stop telling people.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

process.exitCode = await runProgram(process.argv.slice(2), {
  variables: process.env,
  configFile: undefined,
  isTerminal: process.stdout.isTTY && process.stderr.isTTY && !process.env['NO_COLOR'],
  result: (text) => void process.stdout.write(`${text}\n`),
  message: (text) => void process.stderr.write(`${text}\n`),
  readStdin: () => buffer(process.stdin),
  untilStopped: () =>
    new Promise((resolve) => {
      // Only the first one is caught: a second one ends the process at once.
      process.once('SIGTERM', () => resolve());
      process.once('SIGINT', () => resolve());
    }),
});
