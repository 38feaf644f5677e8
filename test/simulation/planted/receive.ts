/** Faults of what comes in and is answered, and of what stands below and around the product: store, channels, clock. */
import type { Planted } from './planted.ts';

export const RECEIVE: readonly Planted[] = [
  {
    does: 'answers 200 though the callback could not be written',
    file: 'src/receive/receiver.ts',
    from: '      throw await problemFor(ctx, error, parts);',
    to: "      if ((error as Error).name !== 'LedgerUnavailable') throw await problemFor(ctx, error, parts);\n      ctx.body = { result: 'accepted', deliveries: [] };",
  },
  {
    does: 'leaves out of an answer who comes first in it',
    file: 'src/receive/receiver.ts',
    from: 'const body = { job_id: jobId, result, deliveries };',
    to: 'const body = { job_id: jobId, result, deliveries: deliveries.slice(1) };',
  },
  {
    does: 'never gives back a place among those that are in flight',
    file: 'src/receive/loads.ts',
    from: '      for (const leave of entered) leave();\n',
    to: '',
  },
  {
    does: 'takes callbacks while it stops',
    file: 'src/receive/loads.ts',
    from: "if (this.#isDraining) throw unavailable('Botbell is shutting down.');",
    to: '',
  },
  {
    does: 'takes two results of a run for one',
    file: 'src/callback/callback.ts',
    from: '  flattenMembers(callback, IDENTIFYING, flat);\n',
    to: '  flattenMembers(callback, IDENTIFYING.slice(0, 4), flat);\n',
  },
  {
    does: 'says that all was delivered though some was taken over',
    file: 'src/ledger/callbacks/enter-callback.ts',
    from: "if (states.includes('pending')) return 'taken_over';",
    to: '',
  },
];
