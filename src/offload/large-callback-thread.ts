/** The thread of large callbacks: its first file. */
import { parentPort, workerData } from 'node:worker_threads';
import { channelTypes } from '../channels/registry.ts';
import { formatsOf } from '../config/config.ts';
import { createLargeCallbackReader } from './large-callback-reader.ts';
import type { LargeCallbackSetting, LargeCallbackTask } from './large-callback-tasks.ts';

const { templates, channels } = workerData as LargeCallbackSetting;
const formats = [...new Set(formatsOf({ channels }, channelTypes).values())];
const answer = createLargeCallbackReader(templates, formats);

parentPort?.on('message', (task: LargeCallbackTask) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
  parentPort?.postMessage(answer(task));
});
