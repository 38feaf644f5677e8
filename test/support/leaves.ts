/** What is no object or list, in turn, by the keys that lead to it. */
export function leavesOf(value: unknown, path: readonly string[] = []): [path: string, leaf: unknown][] {
  if (typeof value !== 'object' || value === null) return [[path.join('.'), value]];
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key]));
}
