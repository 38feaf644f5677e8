/** Section 8, `per_job`: the first message of a job that was sent is the root of the later ones. */
import { aboutOf, type Notice } from '../../../src/notice/notice.ts';
import type { Attempt } from '../observed.ts';
import { type History, isSuccess, messageOf, WRITTEN_WITHIN_MS } from './history.ts';

export function* judgeJobs(history: History) {
  if (!history.hasReloads)
    for (const attempt of history.observed.attempts)
      if (attempt.perJob !== undefined && attempt.nth !== 0) yield* inOneThread(history, attempt);
}

function* inOneThread(history: History, attempt: Attempt) {
  const { at, root } = attempt;
  const sent = history.observed.attempts.filter((other) => isEarlierOfJob(other, attempt));
  if (root !== undefined && !sent.some(({ endedAt }) => String(endedAt) === root))
    yield `one thread a job: ${messageOf(attempt)} answers to ${root}, which is none of its job`;
  const [first] = sent.toSorted((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0));
  const isKnown = first && (first.endedAt ?? 0) + WRITTEN_WITHIN_MS < at && history.isWritten(first);
  if (isKnown && root === undefined)
    yield `one thread a job: ${messageOf(attempt)} is a message of its own after ${first.key}`;
}

function jobOf(notice: Notice): string {
  const { job_id: job, bot_id: bot } = aboutOf(notice);
  return `${job} of ${bot}`;
}

function isEarlierOfJob(other: Attempt, { notice, destination, at }: Attempt): boolean {
  const isOfJob = other.destination === destination && jobOf(other.notice) === jobOf(notice);
  return isOfJob && isSuccess(other) && (other.endedAt ?? Infinity) <= at;
}
