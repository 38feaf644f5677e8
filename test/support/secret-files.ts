/** The files that a config takes secrets from. */

/** Each once, in the order of the config. */
export function secretFilesIn(config: string): string[] {
  const files = [...config.matchAll(/\$\{file:(?<path>[^}]+)\}/g)].map(
    ({ groups }) => groups?.['path'] ?? '',
  );
  return [...new Set(files)];
}
