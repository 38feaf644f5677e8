/** Lets a command do what people do, on the ledger of a service that may be running. */
import { channelTypes } from '../channels/registry.ts';
import type { Planning } from '../deliver/settings.ts';
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import { openBeside } from '../ledger/open-ledger.ts';
import { createPeople, type People } from '../people/actions.ts';
import { systemClock } from '../time/clock.ts';

export interface Beside {
  readonly people: People;
  readonly ledger: DatabaseLedger;
  readonly planning: Planning;
}

/** @throws {Error} there is no ledger, or it cannot be written; says what to do */
export async function beside<T>(planning: Planning, act: (beside: Beside) => Promise<T>): Promise<T> {
  const ledger = await openBeside(planning.config.store.url);
  const ignore = () => undefined;
  const people = createPeople({
    ledger,
    planning: () => planning,
    channelTypes,
    now: () => systemClock.now(),
    sendTest: () => Promise.reject(new Error('`botbell test` sends without a ledger')),
    onDue: ignore,
    onBulkStarted: ignore,
    onAction: ignore,
  });
  try {
    return await act({ people, ledger, planning });
  } finally {
    await ledger.close();
  }
}
