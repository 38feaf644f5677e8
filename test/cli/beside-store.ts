/** A SQLite ledger as a service writes it, and the config of the commands that are run beside it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/time/clock.ts';
import { type CommandInput, runCommand } from '../support/command.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { Recorded } from '../support/recorded.ts';
import { createSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';

/** An empty one for each test of the suite that makes it. */
export class BesideStore {
  clock!: ManualClock;
  store!: SqliteStore;
  recorded!: Recorded;

  constructor(yaml: string) {
    beforeEach(() => {
      this.clock = new ManualClock(systemClock.now());
      this.store = createSqliteStore(this.clock);
      this.recorded = new Recorded(this.store);
      this.configure(yaml);
    });
    afterEach(() => this.store.close());
  }

  get config(): string {
    return join(this.store.folder, 'botbell.yaml');
  }

  configure(yaml: string, url = `sqlite:${this.store.file}`): void {
    writeFileSync(this.config, `store: { url: '${url}' }\ndisplay: { timezone: Asia/Tokyo }\n${yaml}`);
  }

  rewrite(part: string, other: string): void {
    writeFileSync(this.config, readFileSync(this.config, 'utf8').replace(part, other));
  }

  run(args: readonly string[], input?: CommandInput) {
    return runCommand([...args, '--config', this.config], input);
  }
}
