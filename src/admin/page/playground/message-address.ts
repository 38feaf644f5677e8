/** Where the message of a callback that is tried can be had, for its frame: the address holds all that it is drawn from. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Subject, TryOptions } from '../../try-callback.ts';
import { pathTo } from '../parts/text.tsx';

/** Proxies take no longer request line than 8 KB. */
const LONGEST_PACKED = 6000;
const LARGEST_UNPACKED = 1024 * 1024;

/** @returns undefined: what was pasted is too long for an address */
export type AddressOf = (destination: string, theme: string | undefined) => string | undefined;

export function addressesFor({
  chosen: { subject },
  options,
}: {
  readonly chosen: { readonly subject: Subject | undefined };
  readonly options: TryOptions;
}): AddressOf {
  const { templateSet: set, language } = options;
  const packed = subject?.kind === 'text' ? packedOf(subject.text) : undefined;
  const callback = subject?.kind === 'recorded' ? subject.callbackId : undefined;
  if (packed === undefined && callback === undefined) return () => undefined;
  return (to, theme) => pathTo(['playground', 'message'], { callback, packed, set, language, to, theme });
}

function packedOf(text: string): string | undefined {
  const packed = deflateRawSync(text).toString('base64url');
  return packed.length > LONGEST_PACKED ? undefined : packed;
}

/** '' for what nobody packed. */
export function unpacked(packed: string): string {
  try {
    const bytes = inflateRawSync(Buffer.from(packed, 'base64url'), { maxOutputLength: LARGEST_UNPACKED });
    return bytes.toString('utf8');
  } catch {
    return '';
  }
}
