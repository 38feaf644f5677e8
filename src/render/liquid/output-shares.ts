/** The filter `shares`: how much of a message each output may take. */
import { isJsonObject, type JsonObject, keysOf } from '../../text/json-object.ts';
import type { OutputFrame } from '../../channels/markup.ts';
import { fairShares } from '../../text/fair-shares.ts';

const LONGEST_NAME = 80;

/** Less is not worth showing. */
const LEAST = 300;

/** Markup, separators and the like around each value, in bytes. */
const AROUND = 60;
/** Letters of most scripts take three. */
const BYTES_A_CHARACTER = 3;
/** A file's line, with its address. */
const BYTES_A_FILE = 300;

/**
 * `{{ outputs | shares: 32000, 40 }}`: the rooms of the first 40 outputs, with what stands around them together about 32,000
 * bytes; each about what its output needs, or 300 at the least.
 */
export function sharesOf(
  outputs: unknown,
  room: number,
  most: number,
  frame: OutputFrame,
): readonly number[] {
  const list = Array.isArray(outputs) ? outputs.slice(0, most).filter(isJsonObject) : [];
  const around = list.reduce((size, { name }) => size + frameSize(name, frame), 0);
  const shares = fairShares(
    list.map((output) => valueNeed(output, room)),
    Math.max(0, room - around),
  );
  return shares.map((share) => Math.max(LEAST, share));
}

function frameSize(name: unknown, { around, aCharacter }: OutputFrame): number {
  return around + (typeof name === 'string' ? Math.min(LONGEST_NAME, name.length) * aCharacter : 0);
}

/** What is not asked for here may have to be worked out first. */
function valueNeed(output: JsonObject, room: number): number {
  if (output['kind'] === 'list') return needOf(output['items'], room);
  if (output['kind'] !== 'files') return needOf(output['value'], room);
  const files = output['files'];
  return Array.isArray(files) ? files.length * BYTES_A_FILE : 0;
}

/** Roughly; no more of a value is looked at than has room. */
function needOf(value: unknown, room: number): number {
  if (typeof value === 'string') return AROUND + value.length * BYTES_A_CHARACTER;
  if (Array.isArray(value)) return needOfAll(value, room);
  return isJsonObject(value) ? needOfAll(keysOf(value), room, value) : AROUND;
}

/** @param holder of what these are the keys of */
function needOfAll(members: readonly unknown[], room: number, holder?: JsonObject): number {
  let need = AROUND;
  for (const member of members) {
    if (need > room) break;
    need += needOf(member, room);
    if (holder !== undefined) need += needOf(holder[String(member)], room - need);
  }
  return need;
}
