/** Bodies that no retry can make acceptable, kept for the operator. */
import sql from 'sql-template-tag';
import type { CallbackError } from '../../callback/callback.ts';
import { cleanText } from '../../text/clean.ts';
import { charactersWithin, cutEnd } from '../../text/cut.ts';
import type { Tx } from '../database.ts';
import type { Alert, RefusedBody } from '../ledger.ts';
import { LONGEST_TEXT } from '../rows.ts';
import { raise } from './alerts.ts';

/** A refused body is kept up to here. */
const LONGEST_BODY_BYTES = 64 * 1024;

/** The newest so many are kept. */
const MOST_KEPT = 1000;

export async function refuse(tx: Tx, refused: RefusedBody, alert: Alert): Promise<void> {
  // Where the store is full, the alert alone tells of it.
  if (!tx.isFull) await keep(tx, refused);
  await raise(tx, [alert]);
}

async function keep(tx: Tx, refused: RefusedBody): Promise<void> {
  const { receivedAt, status, detail, errors, from, body } = refused;
  // The first slice spares megabytes the cleaning.
  const text = cleanText(body.slice(0, LONGEST_BODY_BYTES));
  await tx.all(sql`
    INSERT INTO refused (received_at, status, detail, errors, remote_address, body, fault)
    VALUES (${receivedAt}, ${status}, ${short(detail)}, ${errors.map(shortened)}, ${from},
      ${text.slice(0, charactersWithin(text, LONGEST_BODY_BYTES))}, ${short(faultOf(refused))})`);
  await tx.all(sql`
    DELETE FROM refused WHERE id <= (SELECT id FROM refused ORDER BY id DESC LIMIT 1 OFFSET ${MOST_KEPT})`);
}

const FAULTS_COMPARED = 3;

/** Without what was found, and where in a list: bodies that one mistake of their sender has spoilt have it in common. */
function faultOf({ status, detail, errors }: RefusedBody): string {
  const faults = errors
    .slice(0, FAULTS_COMPARED)
    .map((each) => `${each.pointer.replaceAll(/\d+/g, '0')} ${each.detail.replace(/, found .*/s, '')}`);
  return [status, ...(faults.length === 0 ? [detail.replaceAll(/\d+/g, '0')] : faults)].join('\n');
}

/** This one, and all before it of the same fault, need nobody any more. */
export async function seeRefused(tx: Tx, id: number): Promise<void> {
  await tx.all(sql`
    UPDATE refused SET is_seen = 1
    WHERE id <= ${id} AND fault = (SELECT fault FROM refused AS newest WHERE newest.id = ${id})`);
}

/** What is said of a body may quote it: a key of megabytes, say. */
function shortened({ pointer, detail }: CallbackError): CallbackError {
  return { pointer: short(pointer), detail: short(detail) };
}

function short(text: string): string {
  return cutEnd(text, LONGEST_TEXT, '…');
}
