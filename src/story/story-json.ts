/** A callback and its story as JSON, for the command line and the API. Times are in ISO 8601. */
import { statusNameOf } from '../callback/callback.ts';
import type { ArchivedCallback } from '../ledger/archive/archive.ts';
import type { DeliveryRecord } from '../ledger/ledger.ts';
import type { KeptSnooze } from '../ledger/signal/snoozes.ts';
import type { StoryEvent } from './sayings.ts';
import type { LoadedStory } from './story.ts';

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
