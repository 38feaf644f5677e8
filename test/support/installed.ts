/** What some tests need that npm does not bring. */
import { spawnSync } from 'node:child_process';

/** Says so where it is missing: what needs it is left out then. @param use what is not tried without it */
export function isInstalled(program: string, use: string): boolean {
  const isThere = spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
  if (!isThere) console.error(`      left out: ${program} is not installed here, so ${use} is not tried`);
  return isThere;
}
