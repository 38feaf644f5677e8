/** Section 8, `per_job`: the first message of a job that was sent is the root of the later ones. */
import { aboutOf, type Notice } from '../../../src/notice/notice.ts';
import type { Attempt } from '../observed.ts';
import { type Broken, type History, isSuccess, WRITTEN_WITHIN_MS } from './history.ts';

export function judgeJobs(history: History, broken: Broken): void {
  if (history.hasReloads) return;
  const { attempts } = history.observed;
  for (const attempt of attempts) {
    if (attempt.perJob === undefined || attempt.nth === 0) continue;
    const sent = attempts.filter((other) => isEarlierOfJob(other, attempt));
    const roots = new Set(sent.map(({ endedAt }) => String(endedAt)));
    const [first] = sent.toSorted((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0));
    if (attempt.root !== undefined && !roots.has(attempt.root))
      broken(
        'one thread a job',
        `${attempt.key} answers to ${attempt.root} at ${attempt.destination}, which is no message of its job`,
      );
    if (first !== undefined && isSurelyKnown(history, first, attempt) && attempt.root === undefined)
      broken(
        'one thread a job',
        `${attempt.key} is a message of its own at ${attempt.destination}, though ${first.key} was sent there`,
      );
  }
}

function jobOf(notice: Notice): string {
  const { job_id: job, bot_id: bot } = aboutOf(notice);
  return `${job} of ${bot}`;
}

function isEarlierOfJob(other: Attempt, { notice, destination, at }: Attempt): boolean {
  return (
    other.destination === destination &&
    jobOf(other.notice) === jobOf(notice) &&
    isSuccess(other) &&
    (other.endedAt ?? Infinity) <= at
  );
}

function isSurelyKnown(history: History, { endedAt = 0, process }: Attempt, { at }: Attempt): boolean {
  const written = endedAt + WRITTEN_WITHIN_MS;
  return written < at && history.endOf(process) > written && !history.isStoreHit(endedAt, written);
}
