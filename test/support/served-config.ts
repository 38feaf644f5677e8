/** Botbell served inside this process by a config's text, as the documents have their reader serve it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument, YAMLMap } from 'yaml';
import type { RunningApp } from '../../src/app/app.ts';
import { startTestApp } from './started-app.ts';
import { tempFolder } from './temp-folder.ts';

export interface ServedConfig {
  readonly app: RunningApp;
  readonly folder: string;
  stop(): Promise<void>;
}

export interface ServingOptions {
  readonly variables?: Readonly<Record<string, string>>;
  /** Default: in memory. */
  readonly store?: string;
}

/** On a port of its own, wherever the config says that it listens. */
export async function serveConfig(
  config: string,
  { variables = {}, store = 'sqlite::memory:' }: ServingOptions = {},
): Promise<ServedConfig> {
  const folder = tempFolder();
  const configFile = join(folder, 'botbell.yaml');
  const changed = parseDocument(config);
  changed.setIn(['receiver', 'listen'], '127.0.0.1:0');
  changed.setIn(['admin', 'listen'], 'off');
  changed.setIn(['store', 'url'], store);
  changed.delete('templates');
  writeFileSync(configFile, String(changed));
  const app = await startTestApp(configFile, { variables });
  return { app, folder, stop: () => app.stop() };
}

/** The config with the top-level settings that a document shows in place of its own. */
export function completedBy(config: string, shown: string): string {
  const whole = parseDocument(config);
  const { contents } = parseDocument(shown);
  if (!(contents instanceof YAMLMap)) throw new Error('what is shown is no map');
  for (const { key, value } of contents.items) whole.set(key, value);
  return String(whole);
}
