/** A callback's JSON as far as a page shows it: all of a common one, the beginning of a large one. */

const MOST_BYTES = 64 * 1024;

export interface ShownBody {
  readonly text: string;
  /** Of the callback as it came. */
  readonly shownBytes: number;
  readonly bytes: number;
}

/** @param body JSON in UTF-8 */
export function bodyShown(body: Uint8Array): ShownBody {
  const isCut = body.byteLength > MOST_BYTES;
  // As a stream, it leaves out a last character that is cut in two.
  const text = new TextDecoder().decode(body.subarray(0, MOST_BYTES), { stream: isCut });
  return {
    text: isCut ? text : indented(text),
    shownBytes: Math.min(body.byteLength, MOST_BYTES),
    bytes: body.byteLength,
  };
}

/** Where that says the same: a number that JavaScript would round stays as it came. */
function indented(json: string): string {
  const value: unknown = JSON.parse(json);
  return JSON.stringify(value) === json ? JSON.stringify(value, undefined, 2) : json;
}
