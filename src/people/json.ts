/** The JSON of what people see, for the command line and the API. Times are in ISO 8601. */
import { statusNameOf } from '../callback/callback.ts';
import type { BulkRedelivery, RedeliveryTally } from '../ledger/deliveries/by-hand.ts';
import type { ArchivedBot, ArchivedCallback, ArchivedRefusal, Page, Run } from '../ledger/archive/archive.ts';
import { type Incident, stateOf } from '../incident/incident.ts';
import type { Actor } from '../ledger/callbacks/history.ts';
import type { DeliveryRecord } from '../ledger/ledger.ts';
import type { KeptSnooze } from '../ledger/timers/timers.ts';
import { standingOf } from '../story/standing.ts';
import type { StoryEvent } from '../story/sayings.ts';
import type { LoadedStory } from '../story/story.ts';
import { snakeCase } from '../text/json.ts';
import { filterQuery } from './filters.ts';
import type { NotTold } from './not-told.ts';
import type { TestOutcome } from './test-message.ts';

type Redact = (text: string) => string;

interface Telling {
  /** Takes secrets out of a text, and leaves the rest as it is. */
  readonly redact: Redact;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export function storyJson({ callback, story }: LoadedStory, telling: Telling) {
  return {
    ...callbackJson(callback, telling),
    summary: story.summary,
    timeline: story.events.map(eventJson),
    alerts: callback.history.flatMap((row) => (row.what === 'alerted' ? [row.entry.alertId] : [])),
  };
}

/** The named fields in snake case, with times (`startedAt`) in ISO 8601, and null for undefined. */
function shape<Of extends object>(of: Of, names: readonly (keyof Of & string)[], redact?: Redact) {
  const fields = names.map((name) => {
    const value = of[name];
    const isTime = name.endsWith('At') && typeof value === 'number';
    const shown = typeof value === 'string' && redact !== undefined ? redact(value) : (value ?? null);
    return [snakeCase(name), isTime ? isoTime(value) : shown];
  });
  return Object.fromEntries(fields) as Record<string, unknown>;
}

export function callbackJson(callback: ArchivedCallback, telling: Telling) {
  const { redact } = telling;
  const times = ['startedAt', 'receivedAt'] as const;
  return {
    ...shape(
      callback,
      ['id', 'kind', 'jobId', 'botId', 'botName', ...times, 'timesReceived', 'result'],
      redact,
    ),
    status: statusNameOf(callback),
    elapsed_time: callback.elapsedSeconds ?? null,
    gist: callback.gist === undefined ? null : redact(callback.gist),
    deliveries: callback.deliveries.map((delivery) => deliveryJson(delivery, telling)),
  };
}

export function snoozeJson(snooze: KeptSnooze) {
  const { until, isUntilSuccess } = snooze;
  const known = shape(snooze, ['id', 'botId', 'destination', 'because', 'by', 'held']);
  return { ...known, until: isUntilSuccess ? 'next-success' : isoTime(until) };
}

export function incidentJson(incident: Incident, redact: Redact) {
  const { takenUp, since } = incident;
  const said = ['subject', 'sign', 'name', 'gist', 'likeness'] as const;
  const taken = takenUp && { by: takenUp.by, because: takenUp.because, at: isoTime(takenUp.at) };
  return {
    ...shape(incident, ['id', 'kind', ...said, 'lastAt', 'count', 'isWaiting', 'overAt'], redact),
    since: isoTime(since),
    state: stateOf(incident),
    taken_up: taken ?? null,
  };
}

function eventJson(event: StoryEvent) {
  return { at: isoTime(event.at), ...shape(event, ['what', 'text', 'small', 'destination']) };
}

/** The remote's own words are left out; `message` quotes them where they may be shown. */
function deliveryJson(delivery: DeliveryRecord, { redact, now }: Telling) {
  const { state, lastError, reason, heldUntil } = delivery;
  const next = state === 'pending' ? standingOf(delivery, now).at : undefined;
  return {
    ...shape(delivery, ['id', 'destination', 'state', 'attempts', 'updatedAt']),
    last_error: lastError === undefined ? null : shape(lastError, ['class', 'code', 'message'], redact),
    ...(state === 'held' && reason !== undefined && { rule: reason }),
    ...(next !== undefined && { next_at: isoTime(next) }),
    ...(heldUntil !== undefined && { until: isoTime(heldUntil) }),
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

export function botJson(bot: ArchivedBot, redact: Redact) {
  const times = ['lastReceivedAt', 'lastSucceededAt', 'lastFailedAt'] as const;
  return shape(bot, ['botId', 'botName', 'lastCallbackId', ...times], redact);
}

export function runJson(run: Run, redact: Redact) {
  const known = shape(run, ['callbackId', 'jobId', 'startedAt', 'receivedAt', 'gist'], redact);
  return { ...known, status: statusNameOf(run), elapsed_time: run.elapsedSeconds ?? null };
}

export function refusalJson(refusal: ArchivedRefusal, redact: Redact) {
  const errors = refusal.errors.map((error) => ({ ...error, detail: redact(error.detail) }));
  return { ...shape(refusal, ['id', 'receivedAt', 'status', 'detail', 'from', 'body'], redact), errors };
}

/** @param now milliseconds since the epoch */
export function tallyJson(tally: RedeliveryTally, now: number) {
  const { oldestAt } = tally;
  return {
    ...shape(tally, ['messages', 'destinations', 'oldestAt', 'newestAt']),
    /** Seconds. */
    oldest_age: oldestAt === undefined ? null : Math.max(0, Math.round((now - oldestAt) / 1000)),
  };
}

export function bulkJson(bulk: BulkRedelivery) {
  return {
    ...shape(bulk, ['id', 'what', 'state', 'startedAt', 'endedAt', 'given', 'delivered', 'dead', 'pending']),
    filter: Object.fromEntries(filterQuery(bulk.filter)),
    started_by: actorJson(bulk.actor),
    stopped_by: bulk.stoppedBy === undefined ? null : actorJson(bulk.stoppedBy),
  };
}

function actorJson(actor: Actor) {
  return shape(actor, ['via', 'user', 'from']);
}

export function testJson(result: TestOutcome) {
  const said = shape(result, ['destination', 'words', 'errorClass', 'errorCode', 'durationMs']);
  return { ...said, delivered: result.isDelivered };
}

export function pageJson<Item>(
  { items, next }: Pick<Page<Item>, 'items'> & { readonly next: number | string | undefined },
  json: (item: Item) => unknown,
) {
  return { items: items.map((item) => json(item)), next: next ?? null };
}

/** @param redact takes secrets out of a text */
export function notToldJson({ count, last, why }: NotTold, redact: Redact) {
  const of = { ...shape(last, ['botId', 'botName'], redact), status: statusNameOf(last) };
  return { ...of, count, why: redact(why), last: shape(last, ['id', 'jobId', 'receivedAt'], redact) };
}
