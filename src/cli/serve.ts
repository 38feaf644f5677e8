/** `botbell serve`: runs the receiver and the admin listener until it is told to stop. */
import { startApp } from '../app/app.ts';
import { channelTypes } from '../channels/registry.ts';
import { secretsHidden } from '../text/hide-secrets.ts';
import { createLogger, type LogLevel } from '../observe/logger.ts';
import { readVersion } from '../package-files.ts';
import { systemClock } from '../time/clock.ts';
import { type CommandContext, configFileOf } from './context.ts';
import { loadProject } from './load-project.ts';

export async function serveCommand(context: CommandContext, level: LogLevel): Promise<number> {
  const { config, configHash, renderer } = loadProject(context);
  const logger = await createLogger(level, context.isTerminal, secretsHidden(config.secrets));
  context.onHangup(() =>
    logger.warn('SIGHUP: the config is read at the start only; restart Botbell to load it'),
  );
  const app = await startApp({
    config,
    configHash,
    renderer,
    channelTypes,
    clock: systemClock,
    logger,
    version: readVersion(),
    print: (text) => context.result(text),
  });
  const { path, tokens } = config.receiver;
  logger.info(
    {
      config: configFileOf(context),
      callbacks: `http://${app.receiver.host}:${app.receiver.port}${path}${tokens.length > 0 ? '/<token>' : ''}`,
      admin: app.admin === undefined ? 'off' : `http://${app.admin.host}:${app.admin.port}`,
    },
    'listening',
  );
  await context.untilStopped();
  logger.info('stopping: finishing what is in flight');
  await app.stop();
  logger.info('stopped');
  return 0;
}
