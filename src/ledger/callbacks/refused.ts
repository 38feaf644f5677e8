/** Bodies that no retry can make acceptable, kept for the operator. */
import sql from 'sql-template-tag';
import { cleanText } from '../../text/clean.ts';
import { charactersWithin, cutEnd } from '../../text/cut.ts';
import type { Tx } from '../database.ts';
import type { Alert, RefusedBody } from '../ledger.ts';
import { LONGEST_TEXT } from '../deliveries/rows.ts';
import { noticeOwn } from '../incidents/signs.ts';

const LONGEST_BODY_BYTES = 64 * 1024;

const MOST_KEPT = 1000;

export async function refuse(tx: Tx, refused: RefusedBody, alert: Alert): Promise<void> {
  // If the store is full, only the alert is written.
  if (!tx.isFull) await keep(tx, refused);
  const { status, detail, errors } = refused;
  const [first] = errors;
  const gist = short(first === undefined ? detail : `${first.pointer} ${first.detail}`.trim());
  const key = `refused ${status}`;
  await noticeOwn(tx, { key, sign: 'refused', gist }, alert);
}

async function keep(tx: Tx, refused: RefusedBody): Promise<void> {
  const { receivedAt, status, detail, errors, from, body } = refused;
  // An error may quote the body, such as a key of megabytes.
  const found = errors.map((each) => ({ pointer: short(each.pointer), detail: short(each.detail) }));
  // Sliced before, so that megabytes need not be cleaned.
  const text = cleanText(body.slice(0, LONGEST_BODY_BYTES));
  await tx.all(sql`
    INSERT INTO refused (received_at, status, detail, errors, remote_address, body)
    VALUES (${receivedAt}, ${status}, ${short(detail)}, ${found}, ${from},
      ${text.slice(0, charactersWithin(text, LONGEST_BODY_BYTES))})`);
  await tx.all(sql`
    DELETE FROM refused WHERE id <= (SELECT id FROM refused ORDER BY id DESC LIMIT 1 OFFSET ${MOST_KEPT})`);
}

function short(text: string): string {
  return cutEnd(text, LONGEST_TEXT, '…');
}
