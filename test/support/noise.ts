/** Text that hardly shrinks when compressed: by a quarter, since only six of eight bits carry information. */
import { randomBytes } from 'node:crypto';

export function noise(length: number): string {
  return randomBytes(Math.ceil((length * 3) / 4))
    .toString('base64')
    .slice(0, length);
}
