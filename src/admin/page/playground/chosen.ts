/** The text that the playground is given, and where each of its messages can be had, for its frame. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { wholeNumberIn } from '../../filters.ts';
import type { AdminServices } from '../../services.ts';
import { indented, pathTo } from '../parts/text.tsx';

/** Proxies take no longer request line than 8 KB. */
const LONGEST_PACKED = 6000;
const LARGEST_UNPACKED = 1024 * 1024;

export interface Chosen {
  /** JSON, unless it is wrong. */
  readonly text: string;
  /** The callback of the ledger that it is. */
  readonly callbackId?: number | undefined;
}

/** What was pasted, else what the address names, else a sample. @returns undefined: there is no such thing */
export async function choose(
  query: URLSearchParams,
  { archive, samples }: AdminServices,
): Promise<Chosen | undefined> {
  const text = query.get('text') ?? '';
  if (text.trim() !== '') return { text };
  const [packed, callback, refused] = ['packed', 'callback', 'refused'].map((name) => query.get(name));
  if (packed) return unpacked(packed);
  if (callback) {
    const callbackId = wholeNumberIn(callback) ?? 0;
    const body = await archive.body(callbackId);
    return body && { text: indented(Buffer.from(body).toString('utf8')), callbackId };
  }
  if (refused) {
    const id = wholeNumberIn(refused) ?? 0;
    const [refusal] = (await archive.refusals({ before: id + 1, limit: 1 })).items;
    return refusal?.id === id ? { text: refusal.body } : undefined;
  }
  return samples.find(({ name }) => name === query.get('sample')) ?? samples[0];
}

/** @returns undefined: what was pasted is too long for an address */
export type AddressOf = (destination: string) => string | undefined;

export function addressesFor({ text, callbackId: callback }: Chosen, set: string | undefined): AddressOf {
  const packed = callback === undefined ? deflateRawSync(text).toString('base64url') : undefined;
  if (packed !== undefined && packed.length > LONGEST_PACKED) return () => undefined;
  return (to) => pathTo(['playground', 'message'], { callback, packed, set, to });
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
