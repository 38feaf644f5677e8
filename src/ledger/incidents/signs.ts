/** Begins, counts and ends incidents, in the transactions they follow from, or afterwards. Locks incidents after deliveries. */
import sql, { join } from 'sql-template-tag';
import { type Incident, type IncidentKind, SAME_WITHIN_MS } from '../../incident/incident.ts';
import { gistOf, likenessOf } from '../../text/gist.ts';
import { prepared, type Tx } from '../database.ts';
import { LONGEST_TEXT } from '../deliveries/rows.ts';
import { isDecider, livingIn } from '../shared/processes.ts';
import type { Alert, DeliveryError, RefusedBody } from '../ledger.ts';
import {
  type AlertAbout,
  endIncidents,
  HAS_DELIVERED,
  lockOrder,
  raiseAlerts,
  type IncidentRow,
} from './telling.ts';
import { cleanText } from '../../text/clean.ts';
import { charactersWithin, cutEnd } from '../../text/cut.ts';

interface Noticed extends Pick<Incident, 'kind' | 'subject' | 'name' | 'sign' | 'gist'> {
  /** The subject's key (`keyOf`). */
  readonly key: string;
  /** The id of an error's job, which makes no difference between gists. */
  readonly jobId?: string;
  /** When the run of an error started, at the latest when its callback came; undefined: it is no error of a run. */
  readonly startedAt?: number | undefined;
  readonly isWaiting?: boolean;
  /** When the trouble began, if not with this sign. */
  readonly since?: number | undefined;
  /** The callback whose message it is about. */
  readonly about?: number | undefined;
  /** The same message has failed so before, so it does not count once more. */
  readonly isAgain?: boolean;
  /** It is to be told by `raiseAlerts`. */
  readonly alert?: AlertAbout | undefined;
}

/**
 * Opens an incident, or counts in the open one. Does nothing for an error of a run that started before a run that succeeded; the newest 200
 * callbacks are searched for such a success, unless an error of an earlier run has left the incident open, so that there is none. The limit
 * is no parameter, for which SQLite would plan the statement anew each time.
 * @returns its id; undefined: nothing was done
 */
export async function recordSign(tx: Tx, noticed: Noticed): Promise<number | undefined> {
  const { kind, key, subject, name, sign, gist, startedAt, isWaiting = false, jobId = '' } = noticed;
  const { about, isAgain = false, alert: raised, since = tx.now } = noticed;
  const alert = raised?.targets.length === 0 ? undefined : raised;
  const likeness = likenessOf(gist, jobId);
  if (kind !== 'bot') await reopen(tx, kind, key);
  const counted = await tx.first<{ id: number }>(prepared`
    INSERT INTO incidents (kind, subject_key, subject, name, sign, gist, likeness, since, last_at, count, started_at, is_waiting,
      about, alert)
    SELECT ${kind}, ${key}, ${subject}, ${name}, ${sign}, ${gist}, ${likeness}, CAST(${Math.min(since, tx.now)} AS BIGINT), CAST(${tx.now} AS BIGINT), 1,
      CAST(${startedAt} AS BIGINT), CAST(${isWaiting} AS INTEGER), CAST(${about} AS BIGINT), ${alert}
    WHERE EXISTS (
      SELECT 1 FROM incidents
      WHERE kind = 'bot' AND subject_key = ${key} AND over_at IS NULL AND started_at <= CAST(${startedAt} AS BIGINT))
    OR NOT EXISTS (
      SELECT 1 FROM (
        SELECT status, started_at, received_at FROM callbacks
        WHERE kind = 'callback' AND bot_key = ${key} ORDER BY id DESC LIMIT 200) AS newest
      WHERE status = 0 AND started_at > CAST(${startedAt} AS BIGINT) AND received_at > CAST(${startedAt} AS BIGINT))
    ON CONFLICT (kind, subject_key) WHERE over_at IS NULL DO UPDATE SET
      name = excluded.name, sign = excluded.sign, gist = excluded.gist, likeness = excluded.likeness,
      last_at = excluded.last_at, count = incidents.count + CAST(${!isAgain} AS INTEGER),
      about = coalesce(incidents.about, excluded.about), alert = coalesce(excluded.alert, incidents.alert),
      started_at = CASE WHEN incidents.started_at > excluded.started_at THEN incidents.started_at
        ELSE coalesce(excluded.started_at, incidents.started_at) END,
      is_waiting = CASE WHEN incidents.is_waiting = 1 THEN excluded.is_waiting ELSE 0 END
    RETURNING id`);
  return counted?.id;
}

/** Opens again an incident that was alerted and has been over for less than an hour. */
async function reopen(tx: Tx, kind: IncidentKind, key: string): Promise<void> {
  await tx.all(prepared`
    UPDATE incidents SET over_at = NULL WHERE id = (
      SELECT max(id) FROM incidents
      WHERE over_at > ${tx.now - SAME_WITHIN_MS} AND kind = ${kind} AND subject_key = ${key} AND told_at IS NOT NULL)
    AND NOT EXISTS (
      SELECT 1 FROM incidents AS other WHERE other.kind = ${kind} AND other.subject_key = ${key} AND other.over_at IS NULL)`);
}

/** Ends the BOT's incident by a success that started after all runs whose errors it counts, or with the last of them (a start ahead of now is a wrong clock's). @returns undefined: it goes on */
export function endBotIncident(
  tx: Tx,
  botKey: string,
  startedAt: number,
): Promise<Pick<IncidentRow, 'id' | 'since' | 'alerted' | 'takenUp'> | undefined> {
  return tx.first(prepared`
    UPDATE incidents SET over_at = ${tx.now}
    WHERE kind = 'bot' AND subject_key = ${botKey} AND over_at IS NULL
      AND (started_at IS NULL OR started_at <= ${startedAt} OR started_at > ${tx.now})
    RETURNING id, since, alerted, taken_up`);
}

/** A fault of Botbell's own, and the alert that it raises. */
export async function recordOwnSign(
  tx: Tx,
  { key, ...noticed }: Pick<Noticed, 'key' | 'sign' | 'gist'>,
  alert: Alert,
): Promise<void> {
  const id = await recordSign(tx, { kind: 'botbell', key, subject: key, name: '', ...noticed, alert });
  if (noticed.sign === 'reload') await noteRefusal(tx, true);
  await raiseAlerts(tx, sql`id = ${id}`);
}

/** Notes whether this process refuses its config: the incident of that is over when no living process does. */
async function noteRefusal(tx: Tx, isRefused: boolean): Promise<void> {
  await tx.all(
    sql`UPDATE processes SET has_refused = ${isRefused} WHERE owner = ${tx.owner} AND has_refused <> ${isRefused}`,
  );
}

/** The incident of refused callbacks is over after so long without one. */
const QUIET_MS = 3_600_000;

/** A BOT's newest callbacks, searched for a success that was admitted at the same time as the error before it, so that neither saw the other. */
const MOST_NEWEST = 20;

const HAS_SUCCEEDED = sql`EXISTS (
  SELECT 1 FROM (
    SELECT id, status, started_at, received_at FROM callbacks
    WHERE kind = 'callback' AND bot_key = subject_key ORDER BY id DESC LIMIT ${MOST_NEWEST}) AS newest
  WHERE status = 0 AND newest.started_at >= incidents.started_at AND newest.received_at > incidents.started_at
    AND NOT EXISTS (
      SELECT 1 FROM callbacks
      WHERE kind = 'callback' AND bot_key = subject_key AND id > newest.id AND status = 1 AND started_at = newest.started_at))`;

interface IncidentCare {
  /** This process has refused the config on its disk, and goes on with an earlier one. */
  readonly isConfigRefused: boolean;
  /** Ids of incidents that this process's config tells nobody of, or whose destination it no longer names: they end only if this config decides. */
  readonly unrouted: readonly number[];
  /** Of that config. */
  readonly configHash: string;
  /** Destinations that are not told that something is over. */
  readonly noNews: readonly string[];
  /** Milliseconds after its last sign at which any incident is over. */
  readonly keepMs: number;
}

const HAS_DEAD = sql`EXISTS (SELECT 1 FROM deliveries WHERE state = 'dead' AND destination = subject)`;

/** A dead letter that a person or a route has given back is not told yet. */
const HAS_GIVEN_BACK = sql`EXISTS (
  SELECT 1 FROM deliveries
  WHERE state = 'pending' AND destination = subject AND (given_back_at IS NOT NULL OR callback_id = incidents.about))`;

/** A config that was loaded since may have mended the destination, and no delivery waits there that would show it. */
const MAY_BE_MENDED = sql`EXISTS (SELECT 1 FROM loaded_configs WHERE loaded_at > incidents.last_at)
  AND NOT EXISTS (SELECT 1 FROM deliveries WHERE state = 'pending' AND destination = subject)
  AND NOT EXISTS (SELECT 1 FROM deliveries WHERE held_until IS NOT NULL AND destination = subject)`;

/** If a destination works again but has dead letters, these are all that is left of the trouble: its incident is now about them. */
async function sayWhatIsLeft(tx: Tx): Promise<void> {
  const mended = await tx.all<{ id: number; lastError: DeliveryError | undefined }>(sql`
    SELECT id, (
      SELECT last_error FROM deliveries WHERE state = 'dead' AND destination = subject ORDER BY id DESC LIMIT 1) AS last_error
    FROM incidents
    WHERE kind = 'destination' AND over_at IS NULL AND sign <> 'dead' AND ${HAS_DEAD} AND ${HAS_DELIVERED} ${lockOrder(tx)}`);
  for (const { id, lastError } of mended)
    await tx.all(
      sql`UPDATE incidents SET sign = 'dead', gist = ${gistOf(lastError?.message ?? '')} WHERE id = ${id}`,
    );
}

/**
 * Ends incidents that no event ends: of a BOT whose success was not seen; of a destination that has delivered since, whose dead letters are gone,
 * or of which nothing is known any more; unrouted ones; of refused callbacks after a quiet hour; without a sign for long. Tells due alerts.
 */
export async function maintainIncidents(
  tx: Tx,
  { isConfigRefused, unrouted, configHash, keepMs, noNews }: IncidentCare,
): Promise<void> {
  const { now } = tx;
  await sayWhatIsLeft(tx);
  await noteRefusal(tx, isConfigRefused);
  const isOver = sql`last_at < ${now - keepMs}
    OR (kind = 'botbell' AND sign = 'refused' AND last_at < ${now - QUIET_MS})
    OR (kind = 'botbell' AND sign = 'reload' AND ${isConfigRefused} = 0 AND NOT EXISTS (
      SELECT 1 FROM (SELECT has_refused FROM ${livingIn(tx)}) AS living WHERE has_refused = 1))
    OR id IN (${join([0, ...((await isDecider(tx, configHash)) ? unrouted : [])])})
    OR (kind = 'bot' AND ${HAS_SUCCEEDED})
    OR (kind = 'destination'
      AND NOT ${HAS_DEAD}
      AND CASE WHEN sign = 'dead' THEN NOT ${HAS_GIVEN_BACK} ELSE (${HAS_DELIVERED} OR (${MAY_BE_MENDED})) END)`;
  await endIncidents(tx, sql`(${isOver})`, noNews);
  await raiseAlerts(tx, sql`1 = 1`);
}

const LONGEST_BODY_BYTES = 64 * 1024;

const MOST_KEPT = 1000;

export async function refuse(tx: Tx, refused: RefusedBody, alert: Alert): Promise<void> {
  // If the store is full, only the alert is written.
  if (!tx.isFull) await keep(tx, refused);
  const { status, detail, errors } = refused;
  const [first] = errors;
  const gist = short(first === undefined ? detail : `${first.pointer} ${first.detail}`.trim());
  const key = `refused ${status}`;
  await recordOwnSign(tx, { key, sign: 'refused', gist }, alert);
}

async function keep(tx: Tx, refused: RefusedBody): Promise<void> {
  const { status, detail, errors, from, body } = refused;
  // An error may quote the body, such as a key of megabytes.
  const found = errors.map((each) => ({ pointer: short(each.pointer), detail: short(each.detail) }));
  // Sliced before, so that megabytes need not be cleaned.
  const text = cleanText(body.slice(0, LONGEST_BODY_BYTES));
  await tx.all(sql`
    INSERT INTO refused (received_at, status, detail, errors, remote_address, body)
    VALUES (${tx.now}, ${status}, ${short(detail)}, ${found}, ${from},
      ${text.slice(0, charactersWithin(text, LONGEST_BODY_BYTES))})`);
  await tx.all(sql`
    DELETE FROM refused WHERE id <= (SELECT id FROM refused ORDER BY id DESC LIMIT 1 OFFSET ${MOST_KEPT})`);
}

function short(text: string): string {
  return cutEnd(text, LONGEST_TEXT, '…');
}
