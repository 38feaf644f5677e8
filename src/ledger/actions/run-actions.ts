/** What people do, over a database that runs it by name: on disk before anybody is told that it is done. */
import type { Database } from '../database.ts';
import type { reads } from '../reads.ts';
import type { Actions } from './actions.ts';
import type { actionOperations } from './operations.ts';

const DURABLE = { isDurable: true };

export interface ActionDatabases {
  readonly writing: Pick<Database<typeof actionOperations>, 'call'>;
  readonly reading: Pick<Database<typeof reads>, 'call'>;
}

export function createActions({ writing, reading }: ActionDatabases): Actions {
  const bulk = (id: number) => reading.call('bulk', id);
  return {
    redeliver: (id, request, again) => writing.call('redeliver', { id, request, again }, DURABLE),
    dismiss: (id, request) => writing.call('dismiss', { id, request }, DURABLE),
    routeAnew: (callbackId, plan, request) =>
      writing.call('routeByHand', { callbackId, plan, request }, DURABLE),
    lookAt: (ids) => reading.call('lookAt', ids),
    tally: (filter) => reading.call('tally', filter),
    startBulk: async (filter, request, what = 'redelivered') => {
      const id = await writing.call('startBulk', { filter, request, what }, DURABLE);
      const started = await bulk(id);
      if (started === undefined) throw new Error(`the ledger has no redelivery ${id} that it has just begun`);
      return started;
    },
    bulks: () => reading.call('bulks', undefined),
    bulk,
    stopBulk: async (id, request) => {
      await writing.call('stopBulk', { id, request }, DURABLE);
      return bulk(id);
    },
    // A step that is lost is done again.
    continueBulk: () => writing.call('continueBulk', undefined),
  };
}
