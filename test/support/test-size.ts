/**
 * How large a proof is: small in `npm test`, full in `npm run test:nightly`, which sets BOTBELL_TEST_SIZE=full. What it proves
 * is the same.
 */
export const IS_FULL = process.env['BOTBELL_TEST_SIZE'] === 'full';

/** @returns the one for this run */
export function sized<Value>(small: Value, full: Value): Value {
  return IS_FULL ? full : small;
}

/** A test that takes long, of what a smaller one in `npm test` proves as well, or that measures how long the machine takes. */
export function itAtFullSize(title: string, body: () => Promise<void> | void): void {
  if (IS_FULL) it(title, body);
}
