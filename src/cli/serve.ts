/** `botbell serve`: runs the receiver and the admin listener until it is told to stop. */
import { startApp } from '../app/app.ts';
import { channelTypes } from '../channels/registry.ts';
import { HiddenSecrets } from '../text/hide-secrets.ts';
import { createLogger, type LogLevel } from '../observe/logger.ts';
import { readVersion } from '../package-files.ts';
import { systemClock } from '../time/clock.ts';
import { type CommandContext, configFileOf } from './context.ts';
import { loadProject } from './load-config.ts';

export interface ServeOptions {
  readonly logLevel: LogLevel;
  /** Whether a change of the config's files is followed by itself. */
  readonly watch: boolean;
}

export async function serveCommand(given: CommandContext, options: ServeOptions): Promise<number> {
  // Decided once: another file that appears where it is looked for first is not the one that runs.
  const context = { ...given, configFile: configFileOf(given) };
  const project = await loadProject(context);
  const { config } = project;
  const secrets = new HiddenSecrets(config.secrets);
  const logger = await createLogger(options.logLevel, context.isTerminal, secrets.hide);
  // Sent while it starts, it must not end it: what it asks for is being done.
  let onHangup = () => {};
  context.onHangup(() => onHangup());
  const app = await startApp({
    ...project,
    followsFiles: options.watch,
    secrets,
    channelTypes,
    clock: systemClock,
    // Node has no loader for TypeScript in a thread, so that the sources keep SQLite in the process.
    isLedgerInProcess: import.meta.url.endsWith('.ts'),
    logger,
    version: readVersion(),
    print: (text) => context.result(text),
  });
  onHangup = () => void app.reload('SIGHUP');
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
