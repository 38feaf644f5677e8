/** The one place where an error's text becomes fit to be logged, answered, stored and shown. */
import { cleanLine } from '../text/clean.ts';
import { cutEnd } from '../text/cut.ts';

const LONGEST_MESSAGE = 500;

/** Replaces every secret in the text, longest first, so that one that holds another leaves nothing behind. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const known = [...new Set(secrets)].filter((secret) => secret !== '').sort((a, b) => b.length - a.length);
  return (text) => {
    const redacted = known.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
    return cutEnd(cleanLine(redacted), LONGEST_MESSAGE, '…');
  };
}
