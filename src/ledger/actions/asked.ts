/** What a person asked for, as the ledger keeps it: who, why, and that it is done once. */
import { hash } from 'node:crypto';
import sql from 'sql-template-tag';
import { cleanText } from '../../text/clean.ts';
import { shortText } from '../../text/cut.ts';
import type { Tx } from '../database.ts';
import type { ActionEntry } from '../history.ts';
import type { ActionRequest } from './actions.ts';

/** A header or a name on a command line may hold anything. */
const LONGEST_NAME = 200;
const LONGEST_NOTE = 1000;

export function entryOf({ actor: { via, user, from }, note }: ActionRequest): ActionEntry {
  const kept = (text: string | undefined, longest: number) => text && shortText(cleanText(text), longest);
  return {
    actor: { via, user: kept(user, LONGEST_NAME), from: kept(from, LONGEST_NAME) ?? '' },
    note: kept(note, LONGEST_NOTE),
  };
}

/**
 * @param subject what it is done to: one page may ask for several things with the same nonce
 * @returns as it is kept, whatever its length; undefined: it may be done again
 */
export function nonceFor(
  what: string,
  subject: number | undefined,
  { nonce }: ActionRequest,
): string | undefined {
  return nonce === undefined ? undefined : hash('sha256', JSON.stringify([what, subject, nonce]), 'hex');
}

/** The entry of what was done before by the same nonce. */
export async function doneBefore(
  tx: Tx,
  nonce: string | undefined,
): Promise<{ readonly entry: string | null } | undefined> {
  if (nonce === undefined) return undefined;
  return tx.first<{ entry: string | null }>(sql`SELECT entry FROM history WHERE nonce = ${nonce}`);
}
