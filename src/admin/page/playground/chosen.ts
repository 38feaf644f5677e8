/** What is tried in the playground: pasted, recorded or a sample; and where each of its messages can be had, for its frame. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { AdminServices } from '../../services.ts';
import type { Subject, TryOptions } from '../../try-callback.ts';
import { refusalWith } from '../operation/refused.tsx';
import { indented, pathTo } from '../parts/text.tsx';
import { idIn } from '../view.ts';

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
  if (query.get('callback')) return ofCallback(idIn(query.get('callback')), archive);
  if (query.get('refused')) {
    const refusal = await refusalWith(archive, idIn(query.get('refused')));
    return refusal === undefined ? NOTHING : ofText(refusal.body);
  }
  const sample = samples.find(({ name }) => name === query.get('sample')) ?? samples[0];
  return sample === undefined ? NOTHING : ofText(sample.text);
}

async function ofCallback(
  callbackId: number | undefined,
  archive: AdminServices['archive'],
): Promise<Chosen> {
  const body = callbackId === undefined ? undefined : await archive.body(callbackId);
  if (callbackId === undefined || body === undefined) return NOTHING;
  const text = indented(Buffer.from(body).toString('utf8'));
  return { ...ofText(text), subject: { kind: 'recorded', callbackId } };
}

function ofText(text: string): Chosen {
  const size = Buffer.byteLength(text);
  return { subject: { kind: 'text', text }, text: size > LARGEST_EDITED ? undefined : text, size };
}

/** @returns undefined: what was pasted is too long for an address */
export type AddressOf = (destination: string) => string | undefined;

export function addressesFor({ subject }: Chosen, { templateSet: set }: TryOptions): AddressOf {
  const packed = subject?.kind === 'text' ? packedOf(subject.text) : undefined;
  const callback = subject?.kind === 'recorded' ? subject.callbackId : undefined;
  if (packed === undefined && callback === undefined) return () => undefined;
  return (to) => pathTo(['playground', 'message'], { callback, packed, set, to });
}

function packedOf(text: string): string | undefined {
  const packed = deflateRawSync(text).toString('base64url');
  return packed.length > LONGEST_PACKED ? undefined : packed;
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
