/** The callback as it came, for programs. */
import { endsOf } from '../../text/cut.ts';
import { chatBox, chatText } from '../hooks/chat-html.ts';
import type { Card } from '../card.ts';
import type { ComposeContext } from '../channel.ts';

export interface WebhookMessage {
  /** `bot.run.succeeded`, `bot.run.error`, `bot.run.executing`; what Botbell says by itself: `botbell.dead_letter`, … */
  readonly type: string;
  /** When what it tells of happened: ISO 8601. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Standard Webhooks advises 20 kB; what is larger than this goes without its output. */
const MAX_BYTES = 256 * 1024;

/** Of each text where even that is too large. */
const MOST_CHARACTERS = 2000;

export function composeWebhook(
  card: Card,
  { template: name, at, callback, destination }: ComposeContext,
): WebhookMessage {
  const messageOf = (data: object): WebhookMessage => ({
    type: callback === undefined ? `botbell.${name}` : `bot.run.${name}`,
    timestamp: new Date(at).toISOString(),
    data: { ...data, ...(callback !== undefined && { status_name: name }), destination },
  });
  if (callback === undefined) return messageOf(wordsOf(card));
  const { output: _, ...rest } = callback;
  const [whole, withoutOutput] = [messageOf(callback), messageOf({ ...rest, truncated: true })];
  if (fits(whole)) return whole;
  return fits(withoutOutput) ? withoutOutput : messageOf({ ...knownIn(rest), truncated: true });
}

function fits(message: WebhookMessage): boolean {
  return Buffer.byteLength(JSON.stringify(message)) <= MAX_BYTES;
}

const KNOWN = ['code', 'job_id', 'bot_id', 'bot_name', 'status', 'start_time', 'elapsed_time', 'message'];

/** The interface's own fields, their texts cut. */
function knownIn(callback: Readonly<Record<string, unknown>>): object {
  const entries = KNOWN.filter((key) => key in callback).map((key) => {
    const value = callback[key];
    return [key, typeof value === 'string' ? endsOf(value, MOST_CHARACTERS) : value];
  });
  return Object.fromEntries(entries) as object;
}

function wordsOf({ title, summary, text, message, facts }: Card): object {
  return { title, summary, text, message, facts: facts.map(({ name, value }) => ({ name, value })) };
}

export function webhookAsHtml(message: WebhookMessage): string {
  return chatBox('code', chatText(JSON.stringify(message, null, 2)));
}
