/** `botbell serve`: runs the receiver and the admin listener until SIGTERM or SIGINT. */
import { startApp } from '../../app/app.ts';
import { channelTypes } from '../../channels/registry.ts';
import { originOf } from '../../config/callback-url.ts';
import { problemLines } from '../../config/problems.ts';
import { createLogger } from '../../observe/logger.ts';
import { readVersion } from '../../package-files.ts';
import { systemClock } from '../../time/clock.ts';
import { type CommandContext, configFileOf } from '../context.ts';
import type { OptionsOf } from '../help.ts';
import { loadProject } from '../load-config.ts';
import { LOG_LINES } from '../words.ts';

export async function run(given: CommandContext, options: OptionsOf<'serve'>) {
  // Choose the file once, so that reloads read the same file even if one with precedence appears.
  const context = { ...given, configFile: configFileOf(given) };
  const { secrets, speaks, variables, configFile } = context;
  const project = await loadProject({ secrets, speaks, variables, configFile });
  for (const line of problemLines(project.warnings, speaks.language)) context.message(line);
  const inWords = (line: string) => (speaks.language === 'ja' && LOG_LINES[line]) || line;
  const logger = await createLogger(options.logLevel, context.readersTime, secrets.hide, inWords);
  const app = await startApp({
    ...project,
    secrets,
    channelTypes,
    clock: systemClock,
    // When run from the sources, SQLite has no keeper, since workers cannot load TypeScript.
    store: { isInProcess: import.meta.url.endsWith('.ts') },
    logger,
    version: readVersion(),
    print: (text) => context.result(text),
  });
  // Before this, SIGHUP does nothing: the config is just being read anyway.
  context.onHangup(() => void app.reload('SIGHUP'));
  const { path, tokens } = project.config.receiver;
  logger.info(
    {
      config: configFileOf(context),
      callbacks: `${originOf(app.receiver)}${path}${tokens.length > 0 ? '/<token>' : ''}`,
      admin: app.admin === undefined ? 'off' : originOf(app.admin),
    },
    'listening',
  );
  await context.untilStopped();
  logger.info('stopping: finishing what is in flight');
  await app.stop();
  logger.info('stopped');
  return 0;
}
