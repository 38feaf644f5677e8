/** Starts the program's app inside this process, from a config's file or text. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument, YAMLMap } from 'yaml';
import { type RunningApp, startApp } from '../../src/app/app.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import { loadProject } from '../../src/cli/load-config.ts';
import { createLogger, type Logger } from '../../src/observe/logger.ts';
import { systemClock } from '../../src/time/clock.ts';
import { HiddenSecrets } from '../../src/text/hide-secrets.ts';
import { tempFolder } from './temp-folder.ts';

export async function startTestApp(
  configFile: string,
  variables: Readonly<Record<string, string>> = {},
  logger?: Logger,
): Promise<RunningApp> {
  return startApp({
    ...(await loadProject({ variables, configFile })),
    channelTypes,
    clock: systemClock,
    secrets: new HiddenSecrets(),
    // A thread for the ledger would load the sources again, which takes longer than most tests.
    store: { isInProcess: true },
    logger: logger ?? (await createLogger('silent', undefined, (line) => line)),
    version: '0.0.0-test',
    print: () => undefined,
  });
}

/** Serves a config from the documents as a reader would, but on a free port. */
export async function serveConfig(
  config: string,
  { variables, store }: { variables?: Record<string, string>; store?: string } = {},
): Promise<RunningApp> {
  const configFile = join(tempFolder(), 'botbell.yaml');
  const changed = parseDocument(config);
  changed.setIn(['receiver', 'listen'], '127.0.0.1:0');
  changed.setIn(['admin', 'listen'], 'off');
  changed.setIn(['store', 'url'], store ?? `sqlite:${join(tempFolder(), 'b.db')}`);
  changed.delete('templates');
  writeFileSync(configFile, String(changed));
  return startTestApp(configFile, variables);
}

/** The config with the top-level settings of a document's example in place of its own. */
export function completedBy(config: string, shown: string): string {
  const whole = parseDocument(config);
  const { contents } = parseDocument(shown);
  if (!(contents instanceof YAMLMap)) throw new Error('what is shown is no map');
  for (const { key, value } of contents.items) whole.set(key, value);
  return String(whole);
}
