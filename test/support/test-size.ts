/**
 * How large a proof is: small in `npm test`, full in `npm run test:nightly`, which sets BOTBELL_TEST_SIZE=full. Both prove the
 * same.
 */
export const IS_FULL = process.env['BOTBELL_TEST_SIZE'] === 'full';

/**
 * What each proof draws by: the same in every `npm test`, so that none is red by chance, and another one in every run at
 * full size. Set PROOF_SEED to draw the same again.
 */
export const SEED = Number(process.env['PROOF_SEED'] ?? (IS_FULL ? Date.now() % 1_000_000 : 1));

export function sized<Value>(small: Value, full: Value): Value {
  return IS_FULL ? full : small;
}

/** A test that takes long and whose promise a smaller one in `npm test` proves, too, or that measures the machine's speed. */
export function itAtFullSize(title: string, body: () => Promise<void> | void): void {
  if (IS_FULL) it(title, body);
}
