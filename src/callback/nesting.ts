/** How deep JSON nests, as a value and as text. */
import { type JsonObject, keysOf } from '../text/json-object.ts';
import { tokensOutsideStrings } from './json-tokens.ts';

/** Levels of arrays and objects in one another, the callback itself being the first. */
export const MAX_DEPTH = 64;

/** Whether arrays and objects stand more than `limit` levels deep in one another; the value itself is level 1. */
export function nestsDeeperThan(value: unknown, limit: number): boolean {
  let level = isContainer(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = containersIn(level);
  }
  return false;
}

function containersIn(level: readonly object[]): object[] {
  const found: object[] = [];
  for (const container of level) {
    if (Array.isArray(container)) for (const item of container) addContainer(found, item);
    else
      for (const key of keysOf(container as JsonObject)) addContainer(found, (container as JsonObject)[key]);
  }
  return found;
}

function addContainer(found: object[], value: unknown): void {
  if (isContainer(value)) found.push(value);
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The same for JSON text, before it is parsed; brackets in strings do not count. */
export function textNestsDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  for (const [bracket] of tokensOutsideStrings(text, /[[{\]}]/)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    if (depth > limit) return true;
  }
  return false;
}
