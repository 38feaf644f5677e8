/** All values within a value that are no object or list, each with the path of keys to it. */
export function leavesOf(value: unknown, path: readonly string[] = []): [path: string, leaf: unknown][] {
  if (typeof value !== 'object' || value === null) return [[path.join('.'), value]];
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key]));
}
