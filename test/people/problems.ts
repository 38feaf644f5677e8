/** What is wrong with a question, as its refusal says it. */
import { Refused } from '../../src/people/outcomes.ts';

/** @returns a `parameter detail` for each fault; none where nothing is wrong */
export function problemsIn(ask: () => unknown): readonly string[] {
  try {
    ask();
    return [];
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { errors } = error.outcome.json as { errors: { parameter: string; detail: string }[] };
    return errors.map(({ parameter, detail }) => `${parameter} ${detail}`);
  }
}
