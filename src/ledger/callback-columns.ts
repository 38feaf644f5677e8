/** Of a callback, what the ledger looks it up by, and shows of it in lists. */
import { hash } from 'node:crypto';
import type { Insertable, Selectable } from 'kysely';
import type { Callback } from '../callback/callback.ts';
import { parseExactly } from '../callback/decode.ts';
import { cleanText } from '../text/clean.ts';
import { shortText } from '../text/cut.ts';
import type { Arrival, CallbackKind } from './ledger.ts';
import { type BodyToStore, bodyText, type StoredBody } from './stored-body.ts';
import type { CallbackRow } from './tables.ts';

/** Longer than any name that a pattern of a route is looked for in, so that a cut one is no more routed than the whole. */
const LONGEST_NAME = 2000;

/** What its names take at most beside its body, which may be compressed: bytes of UTF-8. */
export function bytesOfNames({ bot_id, bot_name }: Callback): number {
  return bytesOfName(bot_id) + bytesOfName(bot_name);
}

function bytesOfName(name: string): number {
  return Math.min(Buffer.byteLength(name), 4 * LONGEST_NAME);
}

/** As they stand in the ledger. */
export function namesOf({
  bot_id,
  bot_name,
}: Callback): Pick<Selectable<CallbackRow>, 'bot_id' | 'bot_name'> {
  return { bot_id: shortText(bot_id, LONGEST_NAME), bot_name: shortText(bot_name, LONGEST_NAME) };
}

/** A callback to be written; its body as bytes. */
export type NewCallback = Omit<Insertable<CallbackRow>, 'body'> & { readonly body: BodyToStore };

export function callbackRow(
  arrival: Pick<Arrival, 'callback' | 'startedAt' | 'receivedAt' | 'routing'>,
  body: BodyToStore,
  jobId: string,
  identity: string,
): NewCallback {
  const { callback } = arrival;
  return {
    kind: 'callback' satisfies CallbackKind,
    identity,
    // The columns are for looking up and showing; what came, to the letter, is in the body.
    job_id: jobId,
    ...namesOf(callback),
    status: callback.status,
    started_at: arrival.startedAt,
    received_at: arrival.receivedAt,
    last_received_at: arrival.receivedAt,
    times_received: 1,
    body,
    routing: JSON.stringify(arrival.routing),
    elapsed_time: elapsedSeconds(callback) ?? null,
    about: null,
  };
}

/** Longer than any run; sums of it stay integers that every database has. */
const LONGEST_SECONDS = 1_000_000_000;

/** Undefined where the callback does not say. */
export function elapsedSeconds({ elapsed_time }: Pick<Callback, 'elapsed_time'>): number | undefined {
  const isGiven = typeof elapsed_time === 'number' && elapsed_time >= 0;
  return isGiven ? Math.min(Math.round(elapsed_time), LONGEST_SECONDS) : undefined;
}

/** Of what the ledger keeps, read as it was when it came. */
export function callbackIn(body: StoredBody): Callback {
  return parseExactly(bodyText(body)) as Callback;
}

/** An id may be as long as a body, but PostgreSQL's indexes take 2.7 KB. */
const LONGEST_KEY = 200;

/** Of a longer one, no more is cleaned: it is known by what came. */
const LONGEST_CLEANED = 10_000;

/**
 * As it stands in the ledger: of a longer one its beginning, and its hash, which tells it from its like. A callback is
 * known again by it, so whoever changes it, or what is clean, must think of the rows that are there.
 */
export function jobIdOf({ job_id }: Callback): string {
  return keyOf(job_id);
}

/** The same of any id. */
export function keyOf(id: string): string {
  const isCleanedWhole = id.length <= LONGEST_CLEANED;
  const text = cleanText(isCleanedWhole ? id : id.slice(0, LONGEST_CLEANED));
  if (isCleanedWhole && text.length <= LONGEST_KEY) return text;
  const known = hash('sha256', isCleanedWhole ? text : id, 'hex');
  return `${text.slice(0, LONGEST_KEY).toWellFormed()}… ${known}`;
}
