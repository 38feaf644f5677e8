/** The program's app inside this process, as tests start it. */
import { type RunningApp, startApp } from '../../src/app/app.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import { loadProject } from '../../src/cli/load-config.ts';
import { createLogger, type Logger } from '../../src/observe/logger.ts';
import { type Clock, systemClock } from '../../src/time/clock.ts';
import { HiddenSecrets } from '../../src/text/hide-secrets.ts';

export interface StartingOptions {
  readonly variables?: Readonly<Record<string, string>>;
  /** The system's where it is left out. */
  readonly clock?: Clock;
  /** A silent one where it is left out. */
  readonly logger?: Logger | undefined;
  /** A thread would load the sources once more, for longer than most tests take; the built program has one. */
  readonly isLedgerInProcess?: boolean;
}

export async function startTestApp(
  configFile: string,
  { variables = {}, clock = systemClock, logger, isLedgerInProcess = true }: StartingOptions = {},
): Promise<RunningApp> {
  return startApp({
    ...(await loadProject({ variables, configFile })),
    channelTypes,
    clock,
    secrets: new HiddenSecrets(),
    isLedgerInProcess,
    logger: logger ?? (await createLogger('silent', false, (line) => line)),
    version: '0.0.0-test',
    print: () => undefined,
  });
}
