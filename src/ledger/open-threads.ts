/** Threads of this process that have not ended yet: Node waits for each of them, also for one that hangs in the disk. */
import type { Worker } from 'node:worker_threads';

const threads = new Set<Worker>();

export function noteThread(thread: Worker): void {
  threads.add(thread);
  thread.once('exit', () => threads.delete(thread));
}

/**
 * To be called when nothing is left to be done: ends the process by SIGKILL (a supervisor sees 137) where a store hangs, which
 * would keep it for ever. Otherwise the process ends by itself.
 * @param say tells the operator before
 */
export function endDespiteHangingStore(say: (text: string) => void): void {
  if (threads.size === 0) return;
  say('the store hangs: this process ends itself by SIGKILL, since it would wait for the disk for ever');
  process.kill(process.pid, 'SIGKILL');
}
