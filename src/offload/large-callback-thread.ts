/** The thread of large callbacks: its first file, and what it does of what it is asked. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Callback, identityOf, InvalidCallback } from '../callback/callback.ts';
import { createCallbackCheck } from '../callback/check-callback.ts';
import { decodeBody, UndecodableBody } from '../callback/decode.ts';
import { channelTypes } from '../channels/registry.ts';
import { formatsOf } from '../config/config.ts';
import { noticeOf } from '../notice/notice.ts';
import { Renderer, renderersByLanguage, type TemplateFailure } from '../render/renderer.ts';
import type {
  LargeCallbackAnswer,
  LargeCallbackSetting,
  LargeCallbackTask,
  RenderTask,
} from './large-callbacks.ts';

const { templates, channels } = workerData as LargeCallbackSetting;
const rendererFor = renderersByLanguage(
  new Renderer(templates, [...new Set(formatsOf({ channels }, channelTypes).values())]),
);
const check = createCallbackCheck(templates.display.timezone);
/** One at a time: two of the largest would fill a small heap. */
let last: { readonly subject: number; readonly callback: Callback } | undefined;

parentPort?.on('message', (task: LargeCallbackTask) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
  parentPort?.postMessage(answerTo(task));
});

/** Never throws. */
function answerTo(task: LargeCallbackTask): LargeCallbackAnswer {
  try {
    const callback = callbackOf(task);
    if (task.kind === 'render') return render(task, callback);
    return task.kind === 'check' ? checked(callback) : read(callback);
  } catch (error) {
    return failureOf(error);
  }
}

function callbackOf({ subject, json }: LargeCallbackTask): Callback {
  if (last?.subject === subject) return last.callback;
  last = undefined;
  const callback = decodeBody(json).value as Callback;
  last = { subject, callback };
  return callback;
}

function checked(value: Callback): LargeCallbackAnswer {
  const { callback, startedAt } = check(value);
  return { kind: 'checked', callback: fieldsOf(callback), startedAt, identity: identityOf(callback) };
}

function render(
  { startedAt, timesReceived, delayedMs, target, language }: RenderTask,
  callback: Callback,
): LargeCallbackAnswer {
  const failures: TemplateFailure[] = [];
  const notice = { ...noticeOf({ callback, startedAt }, timesReceived), delayedMs };
  const message = rendererFor(language).render(notice, target, (failure) => failures.push(failure));
  return { kind: 'rendered', message, failures };
}

function read(callback: Callback): LargeCallbackAnswer {
  return { kind: 'read', callback: fieldsOf(callback), identity: identityOf(callback) };
}

/** What is decided by; a message is only shown, and so is an output. */
function fieldsOf({
  code,
  job_id,
  bot_id,
  bot_name,
  status,
  start_time,
  elapsed_time = null,
}: Callback): Callback {
  return { code, job_id, bot_id, bot_name, status, start_time, elapsed_time };
}

function failureOf(error: unknown): LargeCallbackAnswer {
  if (error instanceof InvalidCallback) return { kind: 'invalid', errors: error.errors };
  const detail = error instanceof Error ? error.message : String(error);
  return { kind: error instanceof UndecodableBody ? 'undecodable' : 'failed', detail };
}
