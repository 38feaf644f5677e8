/** Callbacks as a job service sends them, for tests that care about one or two fields. */
import type { Callback } from '../../src/callback/callback.ts';
import { isAlert, type Notice } from '../../src/notice/notice.ts';

export function callbackWith(fields: Partial<Callback> = {}): Callback {
  return {
    code: 200,
    job_id: 'job-1',
    bot_id: 'get_items',
    bot_name: '商品取得',
    status: 0,
    start_time: '2026-11-20T09:00:00+09:00',
    elapsed_time: 12,
    ...fields,
  };
}

/** The callback that a notice is. @throws {Error} it is an alert */
export function callbackOf(notice: Notice): Callback {
  if (isAlert(notice)) throw new Error(`an alert, ${notice.template}`);
  return notice.callback;
}
