/** The configs of a scenario, read as the program reads them, but kept in memory, where the world can change them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type UsableConfig, readConfigFile } from '../../src/app/settings.ts';
import { simulatedTypes, yamlOf } from './config-text.ts';
import { renderer } from './renderer.ts';
import type { ConfigPlan } from './scenario.ts';

const checks = { conditionFault: () => undefined, linkFault: () => undefined };

/** A folder on a file system in memory, if there is one, since each seed has a store of its own. */
export function temporaryFolder(): { readonly path: string; readonly remove: () => void } {
  const inMemory = '/dev/shm/botbell-simulation-';
  let path: string;
  try {
    path = mkdtempSync(inMemory);
  } catch {
    path = mkdtempSync(join(tmpdir(), 'botbell-simulation-'));
  }
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

type Read = Omit<UsableConfig, 'readings'>;

/** @param folder also has the store */
export async function readConfigs(plans: readonly ConfigPlan[], folder: string): Promise<readonly Read[]> {
  const file = join(folder, 'botbell.yaml');
  const channelTypes = simulatedTypes(() => {
    throw new Error('a config that is only read opens no channel');
  });
  const all: Read[] = [];
  for (const plan of plans) {
    writeFileSync(file, yamlOf(plan));
    const {
      config,
      hash = '',
      problems,
    } = await readConfigFile({ file, variables: {}, channelTypes, ...checks });
    if (config === undefined)
      throw new Error(`the config is wrong: ${JSON.stringify(problems)}\n${yamlOf(plan)}`);
    const store = { ...config.store, url: `sqlite:${join(folder, 'botbell.db')}` };
    all.push({ config: { ...config, store }, configHash: hash, renderer, warnings: [] });
  }
  return all;
}

/** The files of a process, which read as the number of the config that they hold now. */
export function readingsOf(loaded: number, current: () => number): UsableConfig['readings'] {
  return {
    again: () => Promise.resolve(String(current())),
    digest: String(loaded),
  } as unknown as UsableConfig['readings'];
}
