/** The thread of large callbacks: its first file, and how it makes a message. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Callback } from '../callback/callback.ts';
import { decodeBody } from '../callback/decode.ts';
import { channelTypes } from '../channels/registry.ts';
import { formatsOf } from '../config/config.ts';
import { noticeOf } from '../notice/notice.ts';
import { Renderer, renderersByLanguage, type TemplateFailure } from '../render/renderer.ts';
import type { LargeCallbackSetting, RenderAnswer, RenderTask } from './large-callbacks.ts';

const { templates, channels } = workerData as LargeCallbackSetting;
const rendererFor = renderersByLanguage(
  new Renderer(templates, [...new Set(formatsOf({ channels }, channelTypes).values())]),
);
/** One at a time: two of the largest would fill a small heap. */
let last: { readonly subject: number; readonly callback: Callback } | undefined;

parentPort?.on('message', (task: RenderTask) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
  parentPort?.postMessage(answerTo(task));
});

/** Never throws. */
function answerTo(task: RenderTask): RenderAnswer {
  try {
    return render(task, callbackOf(task));
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

function callbackOf({ subject, json }: RenderTask): Callback {
  if (last?.subject === subject) return last.callback;
  last = undefined;
  const callback = decodeBody(json).value as Callback;
  last = { subject, callback };
  return callback;
}

function render({ told, target, language }: RenderTask, callback: Callback): RenderAnswer {
  const failures: TemplateFailure[] = [];
  const notice = { ...noticeOf({ callback, startedAt: told.startedAt }, told.timesReceived), ...told };
  const message = rendererFor(language).render(notice, target, (failure) => failures.push(failure));
  return { message, failures };
}
