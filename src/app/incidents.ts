/** Ends incidents that are over without a sign of their own, and keeps the one of a refused config. */
import type { Chore } from '../deliver/chores.ts';
import type { Delivering } from '../deliver/delivering.ts';
import type { Problem } from '../config/config.ts';
import type { DatabaseLedger } from '../ledger/database-ledger.ts';

const INTERVAL_MS = 5000;

/** The fault of Botbell's own that its config was refused. */
const CONFIG = 'config';

export function incidentChore({ ledger, settings }: Pick<Delivering, 'ledger' | 'settings'>): Chore {
  return {
    everyMs: INTERVAL_MS,
    async work() {
      const { config, destinations } = settings.current;
      const troubled = await ledger.troubledDestinations();
      const unrouted = troubled.filter((destination) => !destinations.has(destination));
      await ledger.careForIncidents({ unrouted, keepMs: config.store.keepMs });
    },
  };
}

export function configRefused(
  ledger: Pick<DatabaseLedger, 'notice'>,
  problems: readonly Problem[],
): Promise<void> {
  const first = problems.find(({ severity }) => severity === 'error');
  const gist = first === undefined ? '' : `${first.place.file}:${first.place.line}: ${first.message}`;
  return ledger.notice({ kind: 'botbell', key: CONFIG, subject: CONFIG, name: '', sign: 'reload', gist });
}

export function configMended(ledger: Pick<DatabaseLedger, 'endOwn'>): Promise<void> {
  return ledger.endOwn(CONFIG);
}
