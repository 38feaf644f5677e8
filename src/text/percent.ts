/** Reads percent-encoded text. */

/** The decoded text, or the text itself when its percent-encoding is invalid. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
