/** What the ledger's retention takes, by how much there is. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLedger } from '../src/ledger/open-ledger.ts';
import { systemClock } from '../src/time/clock.ts';
import { discard, folderOnDisk } from './scratch.ts';

/** Of a hundred callbacks each; of the smallest ledger, half. */
const STEPS = 5;
const FORGOTTEN = STEPS * 100;

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
    timezone: 'UTC',
  });
  try {
    const before = process.cpuUsage();
    const now = Date.now();
    for (let step = 0; step < STEPS; step += 1)
      await opened.forget({ doneBefore: now, reachedNobodyBefore: now, isAnew: step === 0 });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / FORGOTTEN;
  } finally {
    await opened.close();
    discard(folder);
  }
}
