/** Names of messages that stay the same over retries and restarts. */
import { isAlert, type Notice } from '../../src/notice/notice.ts';

const SENDS = 1000;

/** The callback's number, from its `elapsed_time`, which may have grown since the first POST; 0: a notice of Botbell's own. */
export function nthOf(notice: Notice): number {
  return isAlert(notice) || notice.template === 'overdue'
    ? 0
    : nthIn(Number(notice.callback.elapsed_time ?? 0));
}

export function nthIn(elapsed: number): number {
  return Math.round(elapsed % SENDS);
}

/** The `elapsed_time` in a POST of the callback. */
export function elapsedOf(nth: number, tries: number): number {
  return nth + SENDS * (tries - 1);
}

export function keyOf(notice: Notice): string {
  if (!isAlert(notice)) {
    const { callback, occasion } = notice;
    const limit = occasion?.template === 'overdue' ? occasion.runningForMs : '';
    return notice.template === 'overdue'
      ? `overdue ${callback.job_id} of ${callback.bot_id} ${limit}`
      : keyOfSend(nthOf(notice), callback.job_id);
  }
  const { id, subject } = notice.alert;
  const short = id.slice(0, 8);
  return subject.template === 'missed' ? `missed ${subject.botId} ${short}` : `${subject.template} ${short}`;
}

export function keyOfSend(nth: number, job: string): string {
  return `${job}/${nth}`;
}
