/** The error a promise is expected to be rejected with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error(outcome === undefined ? 'Nothing was thrown.' : 'What was thrown is no Error.');
}
