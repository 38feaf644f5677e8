/** What people read of the ledger, and do about it, over a database that runs it by name. */
import type { Notice } from '../notice/notice.ts';
import { type Database, type Methods, methodsOver } from './database.ts';
import { actionOperations, actionReads, archiveReads, type reads } from './registry.ts';
import { noticeIn } from './rows.ts';
import { storedText } from './stored-body.ts';

/**
 * Reads beside whoever writes, and never all of a large ledger. Each call settles within five seconds, and throws
 * `LedgerUnavailable` where the store cannot be read.
 */
export interface Archive extends Omit<Methods<typeof archiveReads>, 'readCallback'> {
  /** The callback as JSON, as it came, in UTF-8. */
  body(callbackId: number): Promise<Uint8Array | undefined>;
  /** What is told: an alert, or a callback as it came. */
  told(callbackId: number): Promise<Notice | undefined>;
}

type Reading = Pick<Database<typeof reads>, 'call'>;

export function createArchive(reading: Reading): Archive {
  const { readCallback, ...archive } = methodsOver(reading, archiveReads);
  return {
    ...archive,
    body: async (id) => {
      const row = await readCallback(id);
      return row && Buffer.from(storedText(row.body));
    },
    told: async (id) => {
      const row = await readCallback(id);
      return row && noticeIn(row);
    },
  };
}

/** Each is on disk when it resolves, settles within five seconds, and throws `LedgerUnavailable` where the store cannot be used. */
export type Actions = Methods<typeof actionOperations & typeof actionReads>;

export function createActions({
  writing,
  reading,
}: {
  readonly writing: Pick<Database<typeof actionOperations>, 'call'>;
  readonly reading: Reading;
}): Actions {
  return {
    ...methodsOver(reading, actionReads),
    ...methodsOver(writing, actionOperations, { isDurable: true }),
  };
}
