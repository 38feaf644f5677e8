/** What the ledger's retention takes, by how much there is. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLedger } from '../src/ledger/open-ledger.ts';
import { systemClock } from '../src/time/clock.ts';
import { discard, folderOnDisk } from './scratch.ts';

/** Of the smallest ledger, half. */
const FORGOTTEN = 500;

/** @param ledger a SQLite file, which stays as it is. @returns CPU µs for each callback that is forgotten, the oldest first */
export async function forgettingMicros(ledger: string): Promise<number> {
  const folder = folderOnDisk();
  const file = join(folder, 'botbell.db');
  copyFileSync(ledger, file);
  const opened = await openLedger(`sqlite:${file}`, {
    clock: systemClock,
    owner: 'bench',
    leaseMs: 1000,
    takeOverAfterMs: 1000,
  });
  try {
    const before = process.cpuUsage();
    let after: number | undefined = 0;
    for (let forgotten = 0; forgotten < FORGOTTEN; after = undefined) {
      forgotten += (await opened.prune({ sweep: 'done', before: Date.now(), after })).forgotten;
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / FORGOTTEN;
  } finally {
    await opened.close();
    discard(folder);
  }
}
