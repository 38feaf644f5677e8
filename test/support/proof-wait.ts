/** Waits for what another process does, and says what did not come before mocha gives the test up. */
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 10;
const GIVE_UP_MS = 240_000;

/** @throws {Error} names `what` if it has not come in four minutes: no machine is so busy */
export async function until(
  what: string,
  hasCome: () => boolean | Promise<boolean>,
  withinMs = GIVE_UP_MS,
): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await hasCome())) {
    if (Date.now() > end) throw new Error(`waited ${withinMs} ms in vain: ${what}`);
    await sleep(LOOK_EVERY_MS);
  }
}
