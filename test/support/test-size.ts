/**
 * How large a proof is: small in `npm test`, full in `npm run test:nightly`, which sets BOTBELL_TEST_SIZE=full. Both prove the
 * same.
 */
export const IS_FULL = process.env['BOTBELL_TEST_SIZE'] === 'full';

export function sized<Value>(small: Value, full: Value): Value {
  return IS_FULL ? full : small;
}

/** A test that takes long and whose promise a smaller one in `npm test` proves, too, or that measures the machine's speed. */
export function itAtFullSize(title: string, body: () => Promise<void> | void): void {
  if (IS_FULL) it(title, body);
}
