/** Which templates of one's own there are: the same wherever their folder lies, and in whichever order it lists them. */
import { hash } from 'node:crypto';
import type { TemplateFolder } from './template-folder.ts';

/** SHA-256 in hexadecimal; undefined: there are none. */
export function fingerprintOf({ files }: TemplateFolder): string | undefined {
  const texts = [...files].map(([key, { text }]) => JSON.stringify([key, text]));
  return texts.length === 0 ? undefined : hash('sha256', texts.toSorted().join('\n'), 'hex');
}
