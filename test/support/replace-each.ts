/** Adapts a file that ships with the product for a test; the file must contain each text that is replaced. */

/** @throws {Error} the file lacks one of the texts, so the test would no longer prove anything about it */
export function replaceEach(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((result, [from, to]) => {
    if (!result.includes(from)) throw new Error(`the file does not have ${JSON.stringify(from)}`);
    return result.replaceAll(from, to);
  }, text);
}
