#!/usr/bin/env node
/**
 * The entry: reports a Node that is too old before it parses syntax that it does not know. It has no static imports, since Node
 * would parse those first.
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
