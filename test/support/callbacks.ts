/** Callbacks as a job service sends them, for tests that care about one or two fields. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Callback } from '../../src/callback/callback.ts';
import { parseStartTime } from '../../src/time/display.ts';
import { type CallbackNotice, isAlert, type Notice, noticeOf } from '../../src/notice/notice.ts';

const FIXTURES = new URL('../fixtures/callbacks/', import.meta.url);

export const FIXTURE_NAMES: readonly string[] = readdirSync(FIXTURES);

export function fixture(name: string): string {
  return readFileSync(new URL(name, FIXTURES), 'utf8');
}

export function readFixture(name: string): Callback {
  return JSON.parse(fixture(name)) as Callback;
}

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

export function noticeAbout(callback: Callback, timesReceived = 1, timezone = 'Asia/Tokyo'): CallbackNotice {
  return noticeOf({ callback, startedAt: startOf(callback, timezone) }, timesReceived);
}

export function startOf({ start_time }: Callback, timezone = 'Asia/Tokyo'): number {
  const startedAt = parseStartTime(start_time, timezone);
  if (startedAt === undefined) throw new Error(`no instant: ${start_time}`);
  return startedAt;
}

export function callbackOf(notice: Notice): Callback {
  if (isAlert(notice)) throw new Error(`an alert, ${notice.template}`);
  return notice.callback;
}
