/** A config as people may see it: with its defaults, and `***` for each secret. */
import { stringify } from 'yaml';
import { ObjectSchema } from 'yup';
import { secretsHidden } from '../text/hide-secrets.ts';
import { isJsonObject } from '../text/json-object.ts';
import { rootSchema } from './schema.ts';

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
  const inOrder = there.map(([name, section]) => [name, withKeysInOrder(section, keysOf(name))]);
  return stringify(shown(Object.fromEntries(inOrder), hide), { lineWidth: 0, aliasDuplicateObjects: false });
}

/** As the documentation has them. */
function keysOf(section: string): readonly string[] {
  const schema: unknown = Reflect.get(rootSchema.fields, section);
  return schema instanceof ObjectSchema ? Object.keys(schema.fields) : [];
}

function withKeysInOrder(section: unknown, keys: readonly string[]): unknown {
  if (!isJsonObject(section)) return section;
  const known = keys.filter((key) => key in section).map((key) => [key, section[key]]);
  return { ...Object.fromEntries(known), ...section };
}

function shown(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value.replace(USER_INFO, `$1${HIDDEN}$2`));
  if (Array.isArray(value)) return value.map((item) => shown(item, hide));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shown(item, hide)]));
}
