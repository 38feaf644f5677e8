/** Tokens of JSON text that stand outside of its strings. */

/**
 * What `pattern` matches there, in order. Strings are passed over by hand: a regular expression for a whole one
 * overflows V8's stack where it has millions of escapes.
 * @param pattern of tokens without quotes
 */
export function* tokensOutsideStrings(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  const quoteOrToken = new RegExp(`"|${pattern.source}`, 'g');
  for (let found = quoteOrToken.exec(text); found !== null; found = quoteOrToken.exec(text)) {
    if (found[0] === '"') quoteOrToken.lastIndex = endOfString(text, found.index);
    else yield found;
  }
}

/** @returns the index behind the closing quote of the string that begins at `start` */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? text.length : quote + 1;
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text[index - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}
