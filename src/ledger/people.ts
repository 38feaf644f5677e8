/** What people read of the ledger, and do about it. */
import type { Notice } from '../notice/notice.ts';
import {
  actionOperations,
  actionReads,
  archiveReads,
  type Call,
  type Methods,
  methodsOver,
} from './registry.ts';
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

export function createArchive(read: Call): Archive {
  const { readCallback, ...archive } = methodsOver(read, archiveReads);
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

export function createActions(write: Call, read: Call): Actions {
  return {
    ...methodsOver(read, actionReads),
    ...methodsOver(write, actionOperations, { isDurable: true }),
  };
}
