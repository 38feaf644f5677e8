/** The built program between the office's remotes, on a ledger of its own, for a browser to look at. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Answer, post } from '../../support/bridge-world.ts';
import { serve } from '../../support/process.ts';
import { type OfficeConfig, officeConfig } from './office-config.ts';
import { copyOfficeLedger } from './office-ledger.ts';
import { type Remotes, startRemotes } from './remotes.ts';

export interface OfficeOptions extends Pick<OfficeConfig, 'admin' | 'routes' | 'delivery'> {
  /** Without the office's last two weeks. */
  readonly isEmpty?: boolean;
}

export interface Office {
  /** `http://127.0.0.1:<port>`, of the page. */
  readonly url: string;
  readonly remotes: Remotes;
  /** The ledger's file. */
  readonly file: string;
  post(callback: unknown): Promise<Answer>;
  /** Changes the config's text; the program still runs with what it has loaded. */
  rewriteConfig(mend: (yaml: string) => string): void;
  close(): Promise<void>;
}

export async function openOffice({ isEmpty = false, ...settings }: OfficeOptions = {}): Promise<Office> {
  const folder = mkdtempSync(join(tmpdir(), 'botbell-office-'));
  const file = join(folder, 'botbell.db');
  if (!isEmpty) await copyOfficeLedger(file);
  const remotes = await startRemotes();
  const config = join(folder, 'botbell.yaml');
  writeFileSync(config, officeConfig({ file, remotes, ...settings }));
  const botbell = await serve(config);
  return {
    url: botbell.adminUrl,
    remotes,
    file,
    post: (callback) => post(botbell.callbacksUrl, callback),
    rewriteConfig: (mend) => writeFileSync(config, mend(readFileSync(config, 'utf8'))),
    async close() {
      botbell.kill('SIGKILL');
      await botbell.exited();
      await remotes.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
