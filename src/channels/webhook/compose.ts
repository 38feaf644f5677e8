/** A webhook's message: the callback as it came, or the words of an alert. */
import { mixed, object } from 'yup';
import { cleanText } from '../../text/clean.ts';
import { endsOf } from '../../text/cut.ts';
import { type JsonObject, exactJson, objectOf } from '../../text/json.ts';
import type { Card } from '../card.ts';
import type { Composed, ComposeContext, OwnMessages, TextKind } from '../channel.ts';
import { shownAs } from '../preview.ts';

export interface WebhookMessage {
  /** `bot.run.succeeded`, `bot.run.error`, `bot.run.executing`; for alerts `botbell.dead_letter`, … */
  readonly type: string;
  /** When the event of the message happened: ISO 8601. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Standard Webhooks advises 20 kB; a message larger than this limit is sent without the callback's output. */
const MAX_BYTES = 256 * 1024;

/** Characters of each text if the message is too large even without the output. */
const MOST_CHARACTERS = 2000;

const MOST_OF_A_VALUE = 20_000;

export function composeWebhook(card: Card, context: ComposeContext): Composed<WebhookMessage> {
  return asJson(fittingMessage(card, context));
}

function asJson<Message>(message: Message): Composed<Message> {
  return { message, ...shownAs(() => ({ lines: [{ code: exactJson(message, '  ') }] })) };
}

const JSON_TEXT: TextKind = { escape: cleanText, most: MOST_OF_A_VALUE, placeOf: () => 'text' };

/** A hook's own `body`: any JSON that its receiver takes. Values need no escaping, since the body is encoded as JSON. */
export const ownBodies = {
  parts: object({ body: mixed().required() }),
  textAt: () => JSON_TEXT,
  showsCard: true,
  isOnlyShape: true,
  compose: ({ body }) => asJson(body),
} satisfies OwnMessages<unknown>;

function fittingMessage(
  card: Card,
  { template: name, at, callback, destination }: ComposeContext,
): WebhookMessage {
  const added = { ...(callback !== undefined && { status_name: name }), destination };
  const messageOf = (data: JsonObject, more: object = {}): WebhookMessage => ({
    type: callback === undefined ? `botbell.${name}` : `bot.run.${name}`,
    timestamp: new Date(at).toISOString(),
    data: objectOf([data, more, added].flatMap(Object.entries)),
  });
  const all: JsonObject = callback ?? wordsOf(card);
  const whole = messageOf(all);
  if (fits(whole)) return whole;
  const rest = objectOf(Object.entries(all).filter(([key]) => key !== 'output'));
  const withoutOutput = messageOf(rest, TRUNCATED);
  return fits(withoutOutput) ? withoutOutput : messageOf(shortOf(rest), TRUNCATED);
}

const TRUNCATED = { truncated: true };

function fits(message: WebhookMessage): boolean {
  return Buffer.byteLength(exactJson(message)) <= MAX_BYTES;
}

/** The fields that the interface defines, and the words of an alert. */
const KNOWN = /^(?:code|job_id|bot_id|bot_name|status|start_time|elapsed_time|message|title|summary|text)$/;

/** The known fields, their texts cut. */
function shortOf(data: JsonObject): JsonObject {
  const known = Object.entries(data).filter(([key]) => KNOWN.test(key));
  return objectOf(
    known.map(([key, value]) => [key, typeof value === 'string' ? endsOf(value, MOST_CHARACTERS) : value]),
  );
}

function wordsOf({ title, summary, text, message, facts, outputs }: Card): JsonObject {
  const named = (all: readonly { readonly name: string; readonly value: unknown }[]) =>
    all.map(({ name, value }) => ({ name, value }));
  return { title, summary, text, message, facts: named(facts), outputs: named(outputs) };
}
