/** What the API says of what the ledger has: names as they stand in the config and the log, times in ISO 8601. */
import { statusNameOf } from '../../callback/callback.ts';
import type { Actor } from '../../ledger/history.ts';
import type { BulkRedelivery, RedeliveryTally } from '../../ledger/actions/actions.ts';
import type { ArchivedBot, ArchivedRefusal, Run } from '../../ledger/archive/archive.ts';
import { filterQuery } from '../filters.ts';
import type { TestOutcome } from '../../deliver/test-message.ts';

export function isoTime(ms: number): string;
export function isoTime(ms: number | undefined): string | null;
export function isoTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

type Redact = (text: string) => string;

export function botShape(bot: ArchivedBot) {
  return {
    bot_id: bot.botId,
    bot_name: bot.botName,
    last_callback_id: bot.lastCallbackId,
    last_received_at: isoTime(bot.lastReceivedAt),
    last_succeeded_at: isoTime(bot.lastSucceededAt),
    last_failed_at: isoTime(bot.lastFailedAt),
  };
}

export function runShape({ callbackId, jobId, status, startedAt, receivedAt, elapsedSeconds }: Run) {
  return {
    callback_id: callbackId,
    job_id: jobId,
    status: statusNameOf({ status }),
    started_at: isoTime(startedAt),
    received_at: isoTime(receivedAt),
    elapsed_time: elapsedSeconds ?? null,
  };
}

export function refusalShape({ id, receivedAt, status, detail, errors, from, body }: ArchivedRefusal) {
  return { id, received_at: isoTime(receivedAt), status, detail, errors, from, body };
}

/** @param now milliseconds since the epoch */
export function tallyShape({ messages, destinations, oldestAt, newestAt }: RedeliveryTally, now: number) {
  return {
    messages,
    destinations,
    oldest_at: isoTime(oldestAt),
    newest_at: isoTime(newestAt),
    /** Seconds. */
    oldest_age: oldestAt === undefined ? null : Math.max(0, Math.round((now - oldestAt) / 1000)),
  };
}

export function bulkShape(bulk: BulkRedelivery) {
  return {
    id: bulk.id,
    what: bulk.what,
    filter: Object.fromEntries(filterQuery(bulk.filter)),
    state: bulk.state,
    started_at: isoTime(bulk.startedAt),
    started_by: actorShape(bulk.actor),
    ended_at: isoTime(bulk.endedAt),
    stopped_by: bulk.stoppedBy === undefined ? null : actorShape(bulk.stoppedBy),
    given: bulk.given,
    delivered: bulk.delivered,
    dead: bulk.dead,
    pending: bulk.pending,
  };
}

function actorShape({ via, user, from }: Actor) {
  return { via, user: user ?? null, from };
}

export function testShape(result: TestOutcome, redact: Redact) {
  const { destination, isDelivered, words, errorClass, errorCode, durationMs } = result;
  return {
    destination,
    delivered: isDelivered,
    words: redact(words),
    error_class: errorClass ?? null,
    error_code: errorCode ?? null,
    duration_ms: Math.round(durationMs),
  };
}
