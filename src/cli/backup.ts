/** `botbell backup`: a whole copy of the SQLite store, while the service runs. */
import { backUp } from '../ledger/backup.ts';
import { secretsHidden } from '../text/hide-secrets.ts';
import { type CommandContext, failedBecause } from './context.ts';
import { loadLedgerConfig } from './load-config.ts';

export async function backupCommand(context: CommandContext, file: string): Promise<number> {
  const { store, secrets } = loadLedgerConfig(context);
  try {
    await backUp(store.url, file);
  } catch (error) {
    throw failedBecause(error, secretsHidden(secrets));
  }
  context.result(`${file}: a whole copy of the store`);
  return 0;
}
