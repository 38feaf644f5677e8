/** A SQLite ledger as a service writes it, and the config of the commands that are run beside it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/time/clock.ts';
import { type CommandInput, type CommandRun, runCommand } from '../support/command.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { Recorded } from '../support/recorded.ts';
import { createSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';

export class BesideStore {
  readonly clock = new ManualClock(systemClock.now());
  readonly store: SqliteStore = createSqliteStore(this.clock);
  readonly recorded = new Recorded(this.store);
  readonly config = join(this.store.folder, 'botbell.yaml');

  configure(yaml: string, url = `sqlite:${this.store.file}`): void {
    writeFileSync(this.config, `store: { url: '${url}' }\ndisplay: { timezone: Asia/Tokyo }\n${yaml}`);
  }

  run(args: readonly string[], input?: CommandInput): Promise<CommandRun> {
    return runCommand([...args, '--config', this.config], input);
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
