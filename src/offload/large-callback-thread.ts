/** The thread of large callbacks: its first file, and what it does of what it is asked. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Callback, identityOf, InvalidCallback } from '../callback/callback.ts';
import { createCallbackCheck } from '../callback/check-callback.ts';
import { decodeBody, UndecodableBody } from '../callback/decode.ts';
import type { MessageFormat } from '../channels/format.ts';
import { channelTypes } from '../channels/registry.ts';
import { formatsOf } from '../config/config.ts';
import { noticeOf } from '../notice/notice.ts';
import { Renderer, type TemplateFailure } from '../render/renderer.ts';
import type { TemplateSources } from '../render/templates/catalog.ts';
import type {
  LargeCallbackAnswer,
  LargeCallbackSetting,
  LargeCallbackTask,
  RenderTask,
} from './large-callbacks.ts';

const { templates, channels } = workerData as LargeCallbackSetting;
const formats = [...new Set(formatsOf({ channels }, channelTypes).values())];
const answer = createLargeCallbackReader(templates, formats);

parentPort?.on('message', (task: LargeCallbackTask) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
  parentPort?.postMessage(answer(task));
});

/** The returned function never throws. */
function createLargeCallbackReader(
  templates: TemplateSources,
  formats: readonly MessageFormat[],
): (task: LargeCallbackTask) => LargeCallbackAnswer {
  const renderer = new Renderer(templates, formats);
  const check = createCallbackCheck(templates.display.timezone);
  // One at a time: two of the largest would fill a small heap.
  let last: { readonly subject: number; readonly callback: Callback } | undefined;
  const callbackOf = ({ subject, json }: LargeCallbackTask): Callback => {
    if (last?.subject === subject) return last.callback;
    last = undefined;
    const callback = decodeBody(json).value as Callback;
    last = { subject, callback };
    return callback;
  };
  const checked = (task: LargeCallbackTask): LargeCallbackAnswer => {
    const { callback, startedAt } = check(callbackOf(task));
    return { kind: 'checked', callback: fieldsOf(callback), startedAt, identity: identityOf(callback) };
  };
  const render = (task: RenderTask): LargeCallbackAnswer => {
    const failures: TemplateFailure[] = [];
    const { startedAt, timesReceived } = task;
    const notice = noticeOf({ callback: callbackOf(task), startedAt }, timesReceived);
    const message = renderer.render(notice, task.target, (failure) => failures.push(failure));
    return { kind: 'rendered', message, failures };
  };
  return (task) => {
    try {
      if (task.kind === 'check') return checked(task);
      return task.kind === 'render' ? render(task) : read(callbackOf(task));
    } catch (error) {
      return failureOf(error);
    }
  };
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
