/** What a text in a URL says. */

/** As it stands where it is no valid percent-encoding. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
