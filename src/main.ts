#!/usr/bin/env node
/**
 * The entry: reports a Node that is too old before it parses syntax that it does not know. It has no static imports, since Node
 * would parse those first.
 */
const NEEDED = [20, 19] as const;

// Set before anything else: by default, SIGHUP and SIGUSR2 end a process, and SIGUSR1 opens Node's debugger to the whole machine.
process.on('SIGHUP', () => undefined);
for (const signal of ['SIGUSR1', 'SIGUSR2'])
  process.on(signal, () =>
    process.stderr.write(`${signal} does nothing here; SIGHUP has the config read again\n`),
  );

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) {
  void import('./process.ts');
} else {
  process.stderr.write(
    `Botbell needs Node ${NEEDED.join('.')} or newer; this is Node ${process.versions.node} (${process.execPath})\n`,
  );
  process.exitCode = 1;
}
