/** The one place where an error's text becomes fit to be logged, answered, stored and shown. */
import { cleanLine } from '../text/clean.ts';
import { cutEnd } from '../text/cut.ts';

const LONGEST_MESSAGE = 500;

/** One line without any secret, cut to what an operator will read. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const hide = secretsHidden(secrets);
  return (text) => cutEnd(cleanLine(hide(text)), LONGEST_MESSAGE, '…');
}

/**
 * Replaces every secret in the text, as it is or as JSON writes it, longest first, so that one that holds another
 * leaves nothing behind.
 */
export function secretsHidden(secrets: readonly string[]): (text: string) => string {
  const spellings = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const known = [...new Set(spellings)].filter((secret) => secret !== '').sort((a, b) => b.length - a.length);
  return (text) => known.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
}
