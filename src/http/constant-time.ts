/** Comparing secrets without telling by the time it takes how much of them was right. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether `given` is one of `secrets`; looks at all of them whatever it finds. */
export function isOneOf(given: string, secrets: readonly string[]): boolean {
  const digest = digestOf(given);
  let isFound = false;
  for (const secret of secrets) isFound = timingSafeEqual(digest, digestOf(secret)) || isFound;
  return isFound;
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
