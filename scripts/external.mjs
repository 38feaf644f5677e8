/** What the build leaves in node_modules, since it has a binary or most starts do without it; all else is in the build. */
export const EXTERNAL = [
  '@photostructure/sqlite',
  'pg',
  'pino-pretty',
  'postal-mime',
  're2js',
  'smtp-server',
];
