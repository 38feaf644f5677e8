/** Errors that say the same, together. */
import type { FailedRun } from '../../../ledger/archive/archive.ts';
import { cleanText, isBlank } from '../../../text/clean.ts';
import { cutEnd } from '../../../text/cut.ts';

const LONGEST_MESSAGE = 300;

export interface ErrorGroup {
  /** Of the latest one, its beginning; undefined: it has none. */
  readonly message: string | undefined;
  readonly count: number;
  readonly latestId: number;
  readonly latestAt: number;
}

/** The most frequent first. Numbers in messages are taken as alike. @param failures the newest first */
export function errorsByMessage(failures: readonly FailedRun[]): readonly ErrorGroup[] {
  const groups = new Map<string, ErrorGroup>();
  for (const { callbackId, receivedAt, message } of failures) {
    const shown = messageShown(message);
    const key = shown === undefined ? '' : `=${shown.replaceAll(/\p{N}+/gu, '0')}`;
    const known = groups.get(key);
    groups.set(
      key,
      known === undefined
        ? { message: shown, count: 1, latestId: callbackId, latestAt: receivedAt }
        : { ...known, count: known.count + 1 },
    );
  }
  return [...groups.values()].toSorted((a, b) => b.count - a.count || b.latestId - a.latestId);
}

function messageShown(message: string | undefined): string | undefined {
  if (message === undefined || isBlank(message)) return undefined;
  return cutEnd(cleanText(message).trim(), LONGEST_MESSAGE, '…');
}
