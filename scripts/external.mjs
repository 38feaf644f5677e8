/** Packages that are not bundled, since they have a binary or most starts do not need them. */
export const EXTERNAL = [
  '@photostructure/sqlite',
  'pg',
  'pino-pretty',
  'postal-mime',
  're2js',
  'smtp-server',
];
