/** What some tests need that npm does not bring. */
import { spawnSync } from 'node:child_process';

/**
 * Says so where it is missing: what needs it is left out then.
 * @param use what is not tried without it
 * @param question arguments that it answers without an error
 */
export function isInstalled(
  program: string,
  use: string,
  question: readonly string[] = ['--version'],
): boolean {
  const isThere = spawnSync(program, question, { stdio: 'ignore' }).status === 0;
  if (!isThere) console.error(`      left out: ${program} is not installed here, so ${use} is not tried`);
  return isThere;
}
