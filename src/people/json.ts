/** The JSON of what people see, for the command line and the API. Times are in ISO 8601. */
import { statusNameOf } from '../callback/callback.ts';
import type { BulkRedelivery, RedeliveryTally } from '../ledger/actions/actions.ts';
import type { ArchivedBot, ArchivedCallback, ArchivedRefusal, Page, Run } from '../ledger/archive/archive.ts';
import type { Actor } from '../ledger/history.ts';
import type { DeliveryRecord } from '../ledger/ledger.ts';
import type { KeptSnooze } from '../ledger/signal/snoozes.ts';
import type { StoryEvent } from '../story/sayings.ts';
import type { LoadedStory } from '../story/story.ts';
import { filterQuery } from './filters.ts';
import type { TestOutcome } from './test-message.ts';

type Redact = (text: string) => string;

/** @param redact takes secrets out of a text */
export function storyJson({ callback, story }: LoadedStory, redact: Redact) {
  return {
    ...callbackJson(callback, redact),
    summary: story.summary,
    timeline: story.events.map(eventJson),
    alerts: callback.history.flatMap((row) => (row.what === 'alerted' ? [row.entry.alertId] : [])),
  };
}

/** @param redact takes secrets out of a text */
export function callbackJson(callback: ArchivedCallback, redact: Redact) {
  return {
    id: callback.id,
    kind: callback.kind,
    job_id: redact(callback.jobId),
    bot_id: redact(callback.botId),
    bot_name: redact(callback.botName),
    status: statusNameOf(callback),
    started_at: isoTime(callback.startedAt),
    elapsed_time: callback.elapsedSeconds ?? null,
    received_at: isoTime(callback.receivedAt),
    last_received_at: isoTime(callback.lastReceivedAt),
    times_received: callback.timesReceived,
    result: callback.result ?? null,
    deliveries: callback.deliveries.map((delivery) => deliveryJson(delivery, redact)),
  };
}

/** A snooze as JSON. */
export function snoozeJson({ id, botId, destination, until, untilSuccess, because, by, held }: KeptSnooze) {
  return {
    id,
    bot_id: botId ?? null,
    destination: destination ?? null,
    until: untilSuccess ? 'next-success' : isoTime(until),
    because,
    by,
    held,
  };
}

function eventJson({ at, what, text, small, destination }: StoryEvent) {
  return { at: isoTime(at), what, text, small: small ?? null, destination: destination ?? null };
}

/** The remote's own words are left out; `message` quotes them where they may be shown. */
function deliveryJson(delivery: DeliveryRecord, redact: Redact) {
  const { id, destination, state, attempts, lastError, updatedAt, reason, heldUntil } = delivery;
  const last_error = lastError && {
    class: lastError.class,
    code: redact(lastError.code),
    message: redact(lastError.message),
  };
  return {
    id,
    destination,
    state,
    attempts,
    last_error: last_error ?? null,
    updated_at: isoTime(updatedAt),
    ...(state === 'held' && reason !== undefined && { rule: reason }),
    ...(heldUntil !== undefined && { until: isoTime(heldUntil) }),
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

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

export function botJson(bot: ArchivedBot) {
  const times = ['lastReceivedAt', 'lastSucceededAt', 'lastFailedAt'] as const;
  return shape(bot, 'botId', 'botName', 'lastCallbackId', ...times);
}

export function runJson(run: Run) {
  const { elapsedSeconds = null } = run;
  const known = shape(run, 'callbackId', 'jobId', 'startedAt', 'receivedAt');
  return { ...known, status: statusNameOf(run), elapsed_time: elapsedSeconds };
}

export function refusalJson(refusal: ArchivedRefusal) {
  return shape(refusal, 'id', 'receivedAt', 'status', 'detail', 'errors', 'from', 'body');
}

/** @param now milliseconds since the epoch */
export function tallyJson(tally: RedeliveryTally, now: number) {
  const { oldestAt } = tally;
  return {
    ...shape(tally, 'messages', 'destinations', 'oldestAt', 'newestAt'),
    /** Seconds. */
    oldest_age: oldestAt === undefined ? null : Math.max(0, Math.round((now - oldestAt) / 1000)),
  };
}

export function bulkJson(bulk: BulkRedelivery) {
  return {
    ...shape(bulk, 'id', 'what', 'state', 'startedAt', 'endedAt', 'given', 'delivered', 'dead', 'pending'),
    filter: Object.fromEntries(filterQuery(bulk.filter)),
    started_by: actorJson(bulk.actor),
    stopped_by: bulk.stoppedBy === undefined ? null : actorJson(bulk.stoppedBy),
  };
}

function actorJson(actor: Actor) {
  return shape(actor, 'via', 'user', 'from');
}

export function testJson(result: TestOutcome) {
  const { isDelivered: delivered, durationMs } = result;
  const said = shape(result, 'destination', 'words', 'errorClass', 'errorCode');
  return { ...said, delivered, duration_ms: Math.round(durationMs) };
}

export function pageJson<Item>({ items, next }: Page<Item>, json: (item: Item) => unknown) {
  return { items: items.map((item) => json(item)), next: next ?? null };
}
