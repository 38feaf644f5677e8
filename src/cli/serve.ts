/** `botbell serve`: runs the receiver and the admin listener until it is told to stop. */
import type { Command } from 'commander';
import { startApp } from '../app/app.ts';
import { channelTypes } from '../channels/registry.ts';
import { createLogger, type LogLevel } from '../observe/logger.ts';
import { readVersion } from '../package-files.ts';
import { didYouMean } from '../text/nearest.ts';
import { systemClock } from '../time/clock.ts';
import { type CommandContext, configFileOf, WrongUsage } from './context.ts';
import { loadProject } from './load-config.ts';

interface Options {
  readonly logLevel: LogLevel;
}

/** @param serve what came to be it: what is no command comes here, too */
export async function run(given: CommandContext, options: Options, serve: Command): Promise<number> {
  const [unknown] = serve.args;
  const names = serve.parent?.commands.map((command) => command.name()) ?? [];
  if (unknown !== undefined)
    throw new WrongUsage(`there is no command '${unknown}'${didYouMean(unknown, names)}`);
  // Decided once: another file that appears where it is looked for first is not the one that runs.
  const context = { ...given, configFile: configFileOf(given) };
  const { secrets } = context;
  const project = await loadProject(context);
  const logger = await createLogger(options.logLevel, context.isTerminal, secrets.hide);
  // Sent while it starts, it must not end it: what it asks for is being done.
  let onHangup = () => {};
  context.onHangup(() => onHangup());
  const app = await startApp({
    ...project,
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
  const { path, tokens } = project.config.receiver;
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
