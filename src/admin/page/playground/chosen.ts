/** What the playground is given, and where each of its messages can be had, for its frame. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { wholeNumberIn } from '../../filters.ts';
import type { AdminServices } from '../../services.ts';
import type { Subject, TryOptions } from '../../try-callback.ts';
import { indented, pathTo } from '../parts/text.tsx';

/** Bytes. What is larger is drawn, and not put into a field. */
const LARGEST_EDITED = 512 * 1024;

/** Proxies take no longer request line than 8 KB. */
const LONGEST_PACKED = 6000;
const LARGEST_UNPACKED = 1024 * 1024;

export interface Chosen {
  /** Undefined: there is no such thing. */
  readonly subject: Subject | undefined;
  /** To be changed; undefined: too large for that. */
  readonly text: string | undefined;
  /** Bytes. */
  readonly size: number;
}

const NOTHING: Chosen = { subject: undefined, text: '', size: 0 };

/** What was pasted, else what the address names, else a sample. */
export async function choose(query: URLSearchParams, { archive, samples }: AdminServices): Promise<Chosen> {
  const pasted = query.get('text') ?? unpacked(query.get('packed') ?? '');
  if (pasted.trim() !== '') return ofText(pasted);
  if (query.has('packed')) return NOTHING;
  if (query.get('callback')) return ofCallback(wholeNumberIn(query.get('callback')) ?? 0, archive);
  if (query.get('refused')) return ofRefusal(wholeNumberIn(query.get('refused')) ?? 0, archive);
  const sample = samples.find(({ name }) => name === query.get('sample')) ?? samples[0];
  return sample === undefined ? NOTHING : ofText(sample.text);
}

type Archive = AdminServices['archive'];

async function ofCallback(callbackId: number, archive: Archive): Promise<Chosen> {
  const body = await archive.body(callbackId);
  if (body === undefined) return NOTHING;
  const text = indented(Buffer.from(body).toString('utf8'));
  return { ...ofText(text), subject: { kind: 'recorded', callbackId } };
}

async function ofRefusal(id: number, archive: Archive): Promise<Chosen> {
  const { items } = await archive.refusals({ before: id + 1, limit: 1 });
  const refusal = items.find((item) => item.id === id);
  return refusal === undefined ? NOTHING : ofText(refusal.body);
}

function ofText(text: string): Chosen {
  const size = Buffer.byteLength(text);
  return { subject: { kind: 'text', text }, text: size > LARGEST_EDITED ? undefined : text, size };
}

/** @returns undefined: what was pasted is too long for an address */
export type AddressOf = (destination: string) => string | undefined;

export function addressesFor({ subject }: Chosen, { templateSet: set }: TryOptions): AddressOf {
  const packed = subject?.kind === 'text' ? deflateRawSync(subject.text).toString('base64url') : undefined;
  const callback = subject?.kind === 'recorded' ? subject.callbackId : undefined;
  if (packed !== undefined && packed.length > LONGEST_PACKED) return () => undefined;
  return (to) => pathTo(['playground', 'message'], { callback, packed, set, to });
}

/** '' for what nobody packed. */
function unpacked(packed: string): string {
  try {
    const bytes = inflateRawSync(Buffer.from(packed, 'base64url'), { maxOutputLength: LARGEST_UNPACKED });
    return bytes.toString('utf8');
  } catch {
    return '';
  }
}
