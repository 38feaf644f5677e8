/** The API's JSON of the ledger's records, with the names of the config and the log, and times in ISO 8601. */
import { statusNameOf } from '../../callback/callback.ts';
import type { Actor } from '../../ledger/history.ts';
import type { BulkRedelivery, RedeliveryTally } from '../../ledger/actions/actions.ts';
import type { ArchivedBot, ArchivedRefusal, Run } from '../../ledger/archive/archive.ts';
import type { TestOutcome } from '../../deliver/test-message.ts';
import { filterQuery } from '../filters.ts';

/** The named fields in snake case, with times (`startedAt`) in ISO 8601, and null for undefined. */
function shape<Of extends object>(of: Of, ...names: readonly (keyof Of & string)[]) {
  const fields = names.map((name) => {
    const value = of[name];
    const isTime = name.endsWith('At') && typeof value === 'number';
    const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [snake, isTime ? new Date(value).toISOString() : (value ?? null)];
  });
  return Object.fromEntries(fields) as Record<string, unknown>;
}

export function botShape(bot: ArchivedBot) {
  const times = ['lastReceivedAt', 'lastSucceededAt', 'lastFailedAt'] as const;
  return shape(bot, 'botId', 'botName', 'lastCallbackId', ...times);
}

export function runShape(run: Run) {
  const { elapsedSeconds = null } = run;
  const known = shape(run, 'callbackId', 'jobId', 'startedAt', 'receivedAt');
  return { ...known, status: statusNameOf(run), elapsed_time: elapsedSeconds };
}

export function refusalShape(refusal: ArchivedRefusal) {
  return shape(refusal, 'id', 'receivedAt', 'status', 'detail', 'errors', 'from', 'body');
}

/** @param now milliseconds since the epoch */
export function tallyShape(tally: RedeliveryTally, now: number) {
  const { oldestAt } = tally;
  return {
    ...shape(tally, 'messages', 'destinations', 'oldestAt', 'newestAt'),
    /** Seconds. */
    oldest_age: oldestAt === undefined ? null : Math.max(0, Math.round((now - oldestAt) / 1000)),
  };
}

export function bulkShape(bulk: BulkRedelivery | undefined) {
  return (
    bulk && {
      ...shape(bulk, 'id', 'what', 'state', 'startedAt', 'endedAt', 'given', 'delivered', 'dead', 'pending'),
      filter: Object.fromEntries(filterQuery(bulk.filter)),
      started_by: actorShape(bulk.actor),
      stopped_by: bulk.stoppedBy === undefined ? null : actorShape(bulk.stoppedBy),
    }
  );
}

function actorShape(actor: Actor) {
  return shape(actor, 'via', 'user', 'from');
}

export function testShape(result: TestOutcome) {
  const { isDelivered: delivered, durationMs } = result;
  const said = shape(result, 'destination', 'words', 'errorClass', 'errorCode');
  return { ...said, delivered, duration_ms: Math.round(durationMs) };
}
