/** Randomness, which a simulation can repeat. */
import { randomInt } from 'node:crypto';

/** @returns a number in [0, 1) */
export type Random = () => number;

/** The most that `randomInt` takes. */
const STEPS = 2 ** 48 - 1;

export const systemRandom: Random = () => randomInt(STEPS) / STEPS;

/** In characters: as many as a SHA-256 in hexadecimal has. */
const ID_LENGTH = 64;

const DIGITS_AT_ONCE = 8;

/** A unique id, in hexadecimal. */
export function randomId(random: Random): string {
  const digits = () =>
    Math.floor(random() * 16 ** DIGITS_AT_ONCE)
      .toString(16)
      .padStart(DIGITS_AT_ONCE, '0');
  return Array.from({ length: ID_LENGTH / DIGITS_AT_ONCE }, digits).join('');
}
