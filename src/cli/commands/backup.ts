/** `botbell backup`: writes a complete copy of the SQLite store while the service runs. */
import { backUp } from '../../ledger/sqlite/backup.ts';
import { visible } from '../../text/clean.ts';
import type { CommandContext } from '../context.ts';
import { loadLedgerConfig } from '../load-config.ts';

export async function run(context: CommandContext, file: string) {
  const { store } = await loadLedgerConfig(context);
  await backUp(store.url, file);
  context.result(visible(context.say('backup.done', { file })));
  return 0;
}
