import { expect } from 'chai';
import { errorIn } from '../../src/text/fault.ts';
export async function rejectionOf(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error(outcome === undefined ? 'Nothing was thrown.' : 'What was thrown is no Error.');
}

/** The message of a rejection that a person reads, which is there in Japanese, too. */
export async function refusalOf(promise: Promise<unknown>): Promise<string> {
  const error = await rejectionOf(promise);
  expect(errorIn(error, 'ja')).to.match(/\p{Script=Hiragana}/u);
  return error.message;
}
