/** Reads the playground's callback, routes and renders it, and gives the URLs of its messages' frames. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { InvalidCallback } from '../../../callback/callback.ts';
import { UndecodableBody } from '../../../callback/decode.ts';
import { HttpProblem } from '../../../http/problem.ts';
import { noticeOf } from '../../../notice/notice.ts';
import { drawAt, type Drawing, type DrawnMessage, placesFor, readPosted } from '../../drawing.ts';
import { wholeNumberIn } from '../../../people/filters.ts';
import type { AdminServices } from '../../services.ts';
import { pathTo } from '../parts/text.tsx';

/** The most messages that are rendered. */
const MOST_DRAWN = 12;

/** In characters: many proxies limit a request line to 8 KB. */
const LONGEST_PACKED = 6000;
const LARGEST_UNPACKED = 1024 * 1024;

export type Trial = Exclude<Awaited<ReturnType<typeof tryOut>>, undefined>;

/** @returns undefined if there is no such callback */
export async function tryOut(query: URLSearchParams, services: AdminServices) {
  const drawing = services.drawing();
  const chosen = await choose(query, services);
  if (chosen === undefined) return undefined;
  const { text, callbackId }: { text: string; callbackId?: number } = chosen;
  const templateSet = drawing.renderer.templateSets.find((set) => set === query.get('set'));
  const wanted = { templateSet, to: query.get('to') || undefined, now: services.surroundings.now() };
  return { text, callbackId, ...wanted, drawing, ...(await outcomeOf(text, wanted, drawing)) };
}

interface Wanted {
  /** Undefined for each route's set, or else the language's. */
  readonly templateSet: string | undefined;
  /** A destination of the config, or a channel's name; undefined for the routes' destinations. */
  readonly to: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The pasted callback, or else the one that the URL names, or else a sample. @returns JSON, unchecked, and its id in the ledger */
async function choose(query: URLSearchParams, { archive, samples }: AdminServices) {
  const pasted = query.get('text') ?? '';
  if (pasted.trim() !== '') return { text: pasted };
  const [packed, callback] = [query.get('packed'), query.get('callback')];
  if (packed) return unpacked(packed);
  if (callback === null) return samples.find(({ name }) => name === query.get('sample')) ?? samples[0];
  const callbackId = wholeNumberIn(callback) ?? 0;
  const body = await archive.body(callbackId);
  return body && { text: indented(Buffer.from(body).toString('utf8')), callbackId };
}

/** @returns the messages in `tried`, or in `errors` why the callback would be refused */
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

async function drawn(text: string, { templateSet, to, now }: Wanted, drawing: Drawing) {
  const notice = noticeOf(readPosted(Buffer.from(text), drawing.config), 1);
  const places = placesFor(notice, to, drawing);
  const messages: DrawnMessage[] = [];
  for (const place of places.slice(0, MOST_DRAWN)) {
    const to = { ...place, templateSet: templateSet ?? place.templateSet };
    const message = drawAt(to, notice, drawing, { now });
    if (message !== undefined) messages.push(message);
    // Let the process handle incoming callbacks between messages.
    await nextTurn();
  }
  return { callback: notice.callback, messages, more: Math.max(0, places.length - MOST_DRAWN) };
}

/** @returns a function that gives a message's URL by destination, or undefined if the pasted callback is too long for a URL */
export function addressesOf({ text, callbackId: callback, templateSet: set }: Trial) {
  const packed = callback === undefined ? deflateRawSync(text).toString('base64url') : '';
  const isTooLong = packed.length > LONGEST_PACKED;
  return (to: string) =>
    isTooLong ? undefined : pathTo(['playground', 'message'], { callback, packed, set, to });
}

/** @returns undefined for invalid data */
function unpacked(packed: string) {
  try {
    const bytes = inflateRawSync(Buffer.from(packed, 'base64url'), { maxOutputLength: LARGEST_UNPACKED });
    return { text: bytes.toString('utf8') };
  } catch {
    return undefined;
  }
}

/** Indents the JSON unless parsing would change it, such as a number that JavaScript rounds. */
function indented(json: string): string {
  const value: unknown = JSON.parse(json);
  return JSON.stringify(value) === json ? JSON.stringify(value, undefined, 2) : json;
}
