/** Bodies that no retry can make acceptable, kept for the operator. */
import sql from 'sql-template-tag';
import { cleanText } from '../../text/clean.ts';
import { cutEnd, UTF8_BYTES } from '../../text/cut.ts';
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

async function keep(tx: Tx, { receivedAt, status, detail, errors, from, body }: RefusedBody): Promise<void> {
  // The first slice spares megabytes the cleaning.
  const text = cleanText(body.slice(0, LONGEST_BODY_BYTES));
  await tx.all(sql`
    INSERT INTO refused (received_at, status, detail, errors, remote_address, body)
    VALUES (${receivedAt}, ${status}, ${short(detail)}, ${JSON.stringify(errors.map(shortened))}, ${from},
      ${cutEnd(text, LONGEST_BODY_BYTES, '', UTF8_BYTES)})`);
  await tx.all(sql`
    DELETE FROM refused WHERE id <= (SELECT id FROM refused ORDER BY id DESC LIMIT 1 OFFSET ${MOST_KEPT})`);
}

/** What is said of a body may quote it: a key of megabytes, say. */
function shortened({ pointer, detail }: RefusedBody['errors'][number]): RefusedBody['errors'][number] {
  return { pointer: short(pointer), detail: short(detail) };
}

function short(text: string): string {
  return cutEnd(text, LONGEST_TEXT, '…');
}
