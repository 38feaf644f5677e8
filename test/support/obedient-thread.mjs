/** A thread that does as each task says: answers, ends itself, or never comes to an end. */
import { parentPort, threadId } from 'node:worker_threads';

parentPort?.on('message', (/** @type {'answer' | 'end' | 'hang'} */ task) => {
  if (task === 'hang') for (;;);
  if (task === 'end') throw new Error('as it was told');
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
  parentPort?.postMessage(threadId);
});
