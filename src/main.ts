#!/usr/bin/env node
/**
 * The door: an older Node is told what it lacks, before it meets what it cannot read. Nothing may be imported here, since
 * that would be read first.
 */
const NEEDED = [20, 19] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) {
  void import('./process.ts');
} else {
  process.stderr.write(
    `Botbell needs Node ${NEEDED.join('.')} or newer; this is Node ${process.versions.node} (${process.execPath})\n`,
  );
  process.exitCode = 1;
}
