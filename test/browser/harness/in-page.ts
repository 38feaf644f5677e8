/** Functions of the tests that run inside a page. */
import type { Frame, Page } from 'playwright-core';

/** What the compiler of the tests wraps around functions to keep their names. */
const NAMER = 'const __name = (named) => named;';

/** @param inside gets no more of the test than its argument, which is sent as JSON; so is what it returns */
export function inPage<Argument, Result>(
  place: Page | Frame,
  inside: (argument: Argument) => Result,
  argument: Argument,
): Promise<Result> {
  return place.evaluate<Result>(`{ ${NAMER} (${inside.toString()})(${JSON.stringify(argument)}) }`);
}
