/** Text that hardly shrinks when it is compressed: a quarter, for six bits of eight say something. */
import { randomBytes } from 'node:crypto';

/** @param length characters, each one byte */
export function noise(length: number): string {
  return randomBytes(Math.ceil((length * 3) / 4))
    .toString('base64')
    .slice(0, length);
}
