/** Adapts a file that the product ships to a test: each text that is replaced has to be in it. */

/** @throws {Error} one of them is not there, and so what the test says of the file would not hold */
export function replaceEach(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((result, [from, to]) => {
    if (!result.includes(from)) throw new Error(`the file does not have ${JSON.stringify(from)}`);
    return result.replaceAll(from, to);
  }, text);
}
