/** Which templates of one's own there are: the same wherever their folder lies, and in whichever order it lists them. */
import { hash } from 'node:crypto';
import type { TemplateFolder } from './catalog.ts';

/** SHA-256 in hexadecimal; undefined: there are none. */
export function fingerprintOf({ sets }: TemplateFolder): string | undefined {
  const texts = [...sets].flatMap(([set, formats]) =>
    [...formats].flatMap(([format, { templates, partials }]) =>
      [...templates, ...partials].map(([name, { text }]) => JSON.stringify([set, format, name, text])),
    ),
  );
  return texts.length === 0 ? undefined : hash('sha256', texts.toSorted().join('\n'), 'hex');
}
