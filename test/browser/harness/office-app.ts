/** The office's program inside this process, so that its time can be told to it. */
import { writeFileSync } from 'node:fs';
import { type RunningApp, startApp } from '../../../src/app/app.ts';
import { channelTypes } from '../../../src/channels/registry.ts';
import { loadProject } from '../../../src/cli/load-config.ts';
import { formatProblem } from '../../../src/config/problems.ts';
import { createLogger } from '../../../src/observe/logger.ts';
import { type Clock, systemClock } from '../../../src/time/clock.ts';
import { HiddenSecrets } from '../../../src/text/hide-secrets.ts';
import { type OfficeConfig, officeConfig } from './office-config.ts';

export interface OfficeApp extends Pick<RunningApp, 'receiver' | 'admin' | 'stop'> {
  /** Goes on with another config. */
  reconfigure(settings: OfficeConfig): Promise<void>;
}

/** @param config the file that the config is to be written to */
export async function startOfficeApp(
  config: string,
  settings: OfficeConfig,
  clock: Clock,
): Promise<OfficeApp> {
  writeFileSync(config, officeConfig(settings));
  const app = await startApp({
    ...(await loadProject({ variables: {}, configFile: config })),
    channelTypes,
    clock,
    secrets: new HiddenSecrets(),
    isLedgerInProcess: clock !== systemClock,
    logger: await createLogger('silent', false, (line) => line),
    version: '0.0.0-test',
    print: () => undefined,
  });
  return {
    ...app,
    async reconfigure(next) {
      writeFileSync(config, officeConfig(next));
      const result = await app.reload('a test');
      if (!result.isLoaded) throw new Error(result.problems.map(formatProblem).join('\n'));
    },
  };
}
