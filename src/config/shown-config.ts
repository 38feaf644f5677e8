/** A config as people may see it: with its defaults, and `***` for each secret. */
import { stringify } from 'yaml';
import { secretsHidden } from '../text/hide-secrets.ts';
import { isJsonObject } from '../text/json-object.ts';

const HIDDEN = '***';

/** The password in a URL, which otherwise would be hidden with all of it. */
const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/[^/?#\s]*?:)[^/?#\s]*(@)/i;

/**
 * @param sections as the config's file names them; undefined and empty ones are left out
 * @returns YAML
 */
export function shownConfig(sections: Readonly<Record<string, unknown>>, secrets: readonly string[]): string {
  const hide = secretsHidden(secrets, HIDDEN);
  const there = Object.entries(sections).filter(([, section]) => section !== undefined && section !== null);
  return stringify(shown(Object.fromEntries(there), hide), { lineWidth: 0, aliasDuplicateObjects: false });
}

function shown(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value.replace(USER_INFO, `$1${HIDDEN}$2`));
  if (Array.isArray(value)) return value.map((item) => shown(item, hide));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shown(item, hide)]));
}
