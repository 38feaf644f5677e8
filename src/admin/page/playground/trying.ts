/** The callback that the playground is given, what would become of it, and where each of its messages can be had, for its frame. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { InvalidCallback } from '../../../callback/callback.ts';
import { UndecodableBody } from '../../../callback/decode.ts';
import { HttpProblem } from '../../../http/problem.ts';
import { noticeOf } from '../../../notice/notice.ts';
import { drawAt, type Drawing, type DrawnMessage, placesFor } from '../../drawing.ts';
import { wholeNumberIn } from '../../filters.ts';
import type { AdminServices } from '../../services.ts';
import { pathTo } from '../parts/text.tsx';

/** As many as anybody looks at. */
const MOST_DRAWN = 12;

/** Proxies take no longer request line than 8 KB. */
const LONGEST_PACKED = 6000;
const LARGEST_UNPACKED = 1024 * 1024;

export type Trial = Exclude<Awaited<ReturnType<typeof tryOut>>, undefined>;

/** @returns undefined: there is no such callback */
export async function tryOut(query: URLSearchParams, services: AdminServices) {
  const drawing = services.drawing();
  const chosen = await choose(query, services);
  if (chosen === undefined) return undefined;
  const { text, callbackId } = chosen;
  const templateSet = drawing.templateSets.find((set) => set === query.get('set'));
  const wanted = { templateSet, to: query.get('to') || undefined };
  return { text, callbackId, ...wanted, drawing, ...(await outcomeOf(text, wanted, drawing)) };
}

interface Wanted {
  /** Undefined: as each route says, else the language's. */
  readonly templateSet: string | undefined;
  /** A destination of the config, or the name of a channel; undefined: whom the routes say. */
  readonly to: string | undefined;
}

interface Chosen {
  /** JSON, unless it is wrong. */
  readonly text: string;
  /** The callback of the ledger that it is. */
  readonly callbackId?: number | undefined;
}

/** What was pasted, else what the address names, else a sample. */
async function choose(
  query: URLSearchParams,
  { archive, samples }: AdminServices,
): Promise<Chosen | undefined> {
  const text = query.get('text') ?? '';
  if (text.trim() !== '') return { text };
  const [packed, callback] = [query.get('packed'), query.get('callback')];
  if (packed) return unpacked(packed);
  if (callback === null) return samples.find(({ name }) => name === query.get('sample')) ?? samples[0];
  const callbackId = wholeNumberIn(callback) ?? 0;
  const body = await archive.body(callbackId);
  return body && { text: indented(Buffer.from(body).toString('utf8')), callbackId };
}

/** Either `tried`, or why it would be refused: `errors`. */
async function outcomeOf(text: string, wanted: Wanted, drawing: Drawing) {
  try {
    return { tried: await drawn(text, wanted, drawing), errors: [] };
  } catch (error) {
    if (error instanceof InvalidCallback) return { errors: error.errors };
    const isRefusal = error instanceof UndecodableBody || error instanceof HttpProblem;
    if (isRefusal) return { errors: [{ pointer: '', detail: error.message }] };
    throw error;
  }
}

async function drawn(text: string, { templateSet, to }: Wanted, drawing: Drawing) {
  const notice = noticeOf(drawing.read(Buffer.from(text)), 1);
  const places = placesFor(notice, to, drawing);
  const messages: DrawnMessage[] = [];
  for (const place of places.slice(0, MOST_DRAWN)) {
    const message = drawAt({ ...place, templateSet: templateSet ?? place.templateSet }, notice, drawing);
    if (message !== undefined) messages.push(message);
    // Callbacks that come meanwhile get their turn.
    await nextTurn();
  }
  return { callback: notice.callback, messages, more: Math.max(0, places.length - MOST_DRAWN) };
}

/** Where its message for a destination can be had. @returns undefined: what was pasted is too long for an address */
export function addressesOf({ text, callbackId: callback, templateSet: set }: Trial) {
  const packed = callback === undefined ? deflateRawSync(text).toString('base64url') : '';
  const isTooLong = packed.length > LONGEST_PACKED;
  return (to: string) =>
    isTooLong ? undefined : pathTo(['playground', 'message'], { callback, packed, set, to });
}

/** Undefined for what nobody packed. */
function unpacked(packed: string): Chosen | undefined {
  try {
    const bytes = inflateRawSync(Buffer.from(packed, 'base64url'), { maxOutputLength: LARGEST_UNPACKED });
    return { text: bytes.toString('utf8') };
  } catch {
    return undefined;
  }
}

/** Where that says the same: a number that JavaScript would round stays as it came. */
function indented(json: string): string {
  const value: unknown = JSON.parse(json);
  return JSON.stringify(value) === json ? JSON.stringify(value, undefined, 2) : json;
}
