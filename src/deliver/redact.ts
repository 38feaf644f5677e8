/** The one place where an error's text becomes fit to be logged, answered, stored and shown. */
import { cutEnd, shortLine } from '../text/cut.ts';
import { secretsHidden } from '../text/hide-secrets.ts';

const LONGEST_MESSAGE = 500;

/** One line without any secret, cut to what an operator will read. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const hide = secretsHidden(secrets);
  // What cleaning takes away may have stood in the middle of a secret, and no cut may leave the half of one.
  return (text) => cutEnd(hide(shortLine(hide(text), 2 * LONGEST_MESSAGE)), LONGEST_MESSAGE, '…');
}
