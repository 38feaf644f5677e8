/** Reports (log lines, metrics) that change nothing of what they report. */

/**
 * What is done is done before it is reported: a report that throws must neither undo nor repeat it.
 * @param onThrown may throw as well: then nobody is left to be told
 */
export function unfailing<Args extends readonly unknown[]>(
  report: (...args: Args) => void,
  onThrown: (error: unknown) => void,
): (...args: Args) => void {
  return (...args) => {
    try {
      report(...args);
    } catch (error) {
      try {
        onThrown(error);
      } catch {
        // The last resort has failed.
      }
    }
  };
}
