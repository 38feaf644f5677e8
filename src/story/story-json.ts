/** A callback and its story as JSON: the same on the command line and in the API. */
import { statusNameOf } from '../callback/callback.ts';
import type { ArchivedDelivery, CallbackStory } from '../ledger/archive/archive.ts';
import type { StoryEvent } from './event.ts';
import type { Story } from './story.ts';

/** @param redact takes secrets out of a text */
export function storyJson(callback: CallbackStory, told: Story, redact: (text: string) => string) {
  return {
    id: callback.id,
    job_id: redact(callback.jobId),
    bot_id: redact(callback.botId),
    bot_name: redact(callback.botName),
    status: statusNameOf(callback),
    received_at: isoTime(callback.receivedAt),
    result: callback.result ?? null,
    summary: told.summary,
    timeline: told.events.map(eventJson),
    deliveries: callback.deliveries.map((delivery) => deliveryJson(delivery, redact)),
  };
}

export function eventJson({ at, what, text, small, destination }: StoryEvent) {
  return { at: isoTime(at), what, text, small: small ?? null, destination: destination ?? null };
}

function deliveryJson(
  { id, destination, state, attempts, lastError }: ArchivedDelivery,
  redact: (text: string) => string,
) {
  const last_error = lastError && {
    class: lastError.class,
    code: redact(lastError.code),
    message: redact(lastError.message),
  };
  return { id, destination, state, attempts, last_error: last_error ?? null };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
