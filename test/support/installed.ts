/** Programs that some tests need and that npm does not install. */
import { spawnSync } from 'node:child_process';

/**
 * Prints a note if the program is missing; the tests that need it are then left out.
 * @param use what is not tested without the program
 * @param question arguments with which the program exits with 0
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
