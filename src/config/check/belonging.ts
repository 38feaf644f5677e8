/** Where in the config a key belongs that stands somewhere else. */
import { isJsonObject } from '../../text/json-object.ts';
import type { SchemaFieldDescription } from 'yup';
import { type Path } from '../path.ts';
import { rootSchema } from '../schema/schema.ts';

/** The sections that have this key, as a reader would write them: `receiver`, `display.links`. */
export function sectionsWith(key: string): string[] {
  return within(rootSchema.describe(), '')
    .filter((place) => place.keys.includes(key))
    .map(({ name }) => name);
}

export function isSection(key: string): boolean {
  return Object.hasOwn(rootSchema.fields, key);
}

/** ` : it belongs in receiver or admin`; nothing for a key that no section has. */
export function belongsElsewhere(key: string, parent: Path): string {
  if (parent.length > 0 && isSection(key)) return ': it belongs at the top level, in column 1';
  const sections = sectionsWith(key);
  return sections.length === 0 ? '' : `: it belongs in ${sections.join(' or ')}`;
}

/** The section right above an unknown key at the top level, where that is empty: the key may be meant to stand in it. */
export function emptySectionAbove(key: string, root: Readonly<Record<string, unknown>>): string | undefined {
  const keys = Object.keys(root);
  const above = keys.slice(0, keys.indexOf(key)).findLast((each) => isSection(each));
  return above !== undefined && root[above] === null && mayHoldMore(above) ? above : undefined;
}

function mayHoldMore(section: string): boolean {
  const field = rootSchema.describe().fields[section];
  return field !== undefined && field.type !== 'string';
}

interface Keys {
  readonly name: string;
  readonly keys: readonly string[];
}

function within(description: SchemaFieldDescription, name: string): Keys[] {
  if ('innerType' in description) {
    const inner = [description.innerType].flat()[0];
    return inner === undefined ? [] : within(inner, name);
  }
  if (!('fields' in description) || !isJsonObject(description.fields)) return [];
  const fields = Object.entries(description.fields);
  const nested = fields.flatMap(([key, field]) => within(field, name === '' ? key : `${name}.${key}`));
  return name === '' ? nested : [{ name, keys: fields.map(([key]) => key) }, ...nested];
}
