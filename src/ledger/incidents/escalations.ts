/** Tells further people, step by step, of a BOT's incident that nobody has taken up. */
import sql, { join } from 'sql-template-tag';
import { escalate, type Escalation, type Step } from '../../incident/escalation.ts';
import type { AskedRoute, Telling } from '../../signal/decide.ts';
import { holdAt } from '../../signal/hold.ts';
import type { MuteEntry } from '../../signal/rules.ts';
import type { Tx } from '../database.ts';
import { writeHistory } from '../callbacks/history.ts';
import { type CallbackKind, type DecidedTarget, DISMISSED, type PlannedDelivery } from '../ledger.ts';
import { addRows, makePending, updateRows } from '../deliveries/deliveries.ts';
import { type DeliveryRow, lockCallback } from '../deliveries/rows.ts';
import { ASKED_AGAIN_MS } from '../timers/admission.ts';
import { beginTimers, endTimer, openSnoozes, putTimers, type Timer } from '../timers/timers.ts';
import { deliveredOf, INCIDENT_ROW, type IncidentRow, type ToldTarget, troublesOf } from './telling.ts';

export type FirstStep = readonly [route: string, step: NonNullable<AskedRoute['firstStep']>];

/** The routes with steps that tell one of the targets now. */
export function tellingSteps(
  planned: readonly PlannedDelivery[],
  targets: readonly DecidedTarget[],
): readonly FirstStep[] {
  const found = new Map<string, FirstStep>();
  for (const { destination, reason, tells } of targets)
    for (const { name, firstStep } of planned.find((each) => each.destination === destination)?.asked ?? [])
      if (firstStep !== undefined && reason === undefined && tells?.includes(name) !== false)
        found.set(name, [name, firstStep]);
  return [...found.values()];
}

/** Begins the steps, counted from now, of those of the routes that have not begun them for the incident. */
export async function beginEscalations(
  tx: Tx,
  incidentId: number,
  routes: readonly FirstStep[],
): Promise<void> {
  const timers = routes.map(([route, { afterMs, ...step }]): Timer<Escalation> => {
    const at = tx.now + afterMs;
    const data = { route, from: tx.now, done: [], next: { at, ...step } };
    return escalationTimer(incidentId, at, data);
  });
  await beginTimers(tx, timers);
}

function escalationTimer(incidentId: number, dueAt: number, data: Escalation): Timer<Escalation> {
  return { key: `escalation ${incidentId} ${data.route}`, kind: 'escalation', dueAt, data };
}

/** The same for the open incidents of BOTs whose messages were held. @param botKeys each BOT's, with the routes that tell its messages now */
export async function beginAfterHolds(
  tx: Tx,
  botKeys: ReadonlyMap<string, readonly FirstStep[]>,
): Promise<void> {
  if (botKeys.size === 0) return;
  const open = await tx.all<{ id: number; subjectKey: string }>(sql`
    SELECT id, subject_key FROM incidents
    WHERE kind = 'bot' AND over_at IS NULL AND subject_key IN (${join([...botKeys.keys()])})`);
  for (const { id, subjectKey } of open) await beginEscalations(tx, id, botKeys.get(subjectKey) ?? []);
}

function incidentOf({ key }: Timer): number {
  return Number(key.split(' ')[1]);
}

export async function escalateAnew(tx: Tx, { id, alerted }: IncidentRow): Promise<void> {
  const past = alerted?.map((each): ToldTarget => ({ ...each, isPast: true }));
  await tx.all(sql`UPDATE incidents SET alerted = ${past} WHERE id = ${id}`);
  const timers = await tx.all<Timer<Escalation>>(
    sql`SELECT key, kind, data FROM timers WHERE kind = 'escalation' AND key LIKE ${`escalation ${id} %`} ORDER BY key ${tx.forUpdate}`,
  );
  const begun = timers.map(({ data: { route }, ...each }) => {
    return { ...each, dueAt: tx.now, data: { route, from: tx.now, done: [] } };
  });
  await putTimers(tx, begun);
}

/** A route's steps by the config in force. */
export interface AskedSteps {
  /** If the timer's route is gone, the BOT's routes that have steps today; else none. */
  readonly heirs: (botId: string) => readonly string[];
  readonly steps: readonly Step[];
  /** The route's own destinations. */
  readonly own: readonly string[];
  readonly mute: readonly MuteEntry[];
  readonly timezone: string;
}

export async function fireEscalation(tx: Tx, timer: Timer<Escalation>, asked: AskedSteps): Promise<void> {
  const id = incidentOf(timer);
  const found = await tx.first<IncidentRow>(sql`SELECT ${INCIDENT_ROW} FROM incidents WHERE id = ${id}`);
  const heirs = found && timer.data.next ? asked.heirs(found.subject) : [];
  await (heirs.length > 0 ? handOver(tx, timer, heirs) : tellStep(tx, timer, asked, found));
}

/** Tells the incident's last trouble to whom a step names now. Locks its job, callback and deliveries before the incident. */
async function tellStep(
  tx: Tx,
  timer: Timer<Escalation>,
  asked: AskedSteps,
  found: IncidentRow | undefined,
): Promise<void> {
  const id = incidentOf(timer);
  const last = found && (await lastTrouble(tx, found));
  if (last !== undefined) await lockCallback(tx, last.id);
  const incident = await tx.first<IncidentRow>(
    sql`SELECT ${INCIDENT_ROW} FROM incidents WHERE id = ${id} AND over_at IS NULL ${tx.forUpdate}`,
  );
  if (incident === undefined || last === undefined) return void (await endTimer(tx, timer));
  const toldBefore = [...(await deliveredOf(tx, [incident])).values()].flat();
  const delivered = toldBefore.map(({ destination }) => destination);
  const facts = await factsOf(tx, incident, last, asked, delivered);
  // One that lies ahead dates from before the clock was set back.
  const begun = { ...timer.data, from: Math.min(timer.data.from, tx.now) };
  const { tell, dueAt, ...next } = escalate(asked.steps, begun, facts);
  const data = { route: begun.route, from: begun.from, ...next };
  if (!(await endTimer(tx, timer, { dueAt, data })) || tell.length === 0) return;
  const escalated = { told: delivered, takenBy: incident.takenUp?.by ?? '' };
  const telling: Telling = { incident: id, escalated, ...last.telling };
  const told = await tellLast(tx, last.id, tell, telling);
  if (told.length === 0) return;
  const who = told.map(({ destination }) => destination);
  const others = (incident.alerted ?? []).filter(({ destination }) => !who.includes(destination));
  await tx.all(sql`UPDATE incidents SET alerted = ${[...others, ...told]} WHERE id = ${id}`);
  const entry = { route: data.route, who };
  await writeHistory(tx, [{ callbackId: last.id, what: 'escalated', entry }]);
}

/** The route of a waiting step is gone, such as one that was given a name: today's routes tell it, with steps counted from the same start. */
async function handOver(tx: Tx, timer: Timer<Escalation>, routes: readonly string[]): Promise<void> {
  if (!(await endTimer(tx, timer))) return;
  const begun = routes.map((route) =>
    escalationTimer(incidentOf(timer), tx.now, { ...timer.data, route, done: [] }),
  );
  await beginTimers(tx, begun);
}

async function factsOf(
  tx: Tx,
  incident: IncidentRow,
  { kind }: LastTrouble,
  { own, mute, timezone }: AskedSteps,
  delivered: readonly string[],
) {
  const { now } = tx;
  const status = kind === 'callback' ? 'error' : undefined;
  const about = { mute, snoozes: await openSnoozes(tx), botId: incident.subject, status, timezone } as const;
  return {
    now,
    isTakenUp: incident.takenUp !== undefined,
    isDelivered: own.some((destination) => delivered.includes(destination)),
    told: (incident.alerted ?? []).flatMap((each) => (each.isPast === true ? [] : each.destination)),
    heldUntil: (destination: string) => {
      const hold = holdAt(now, { ...about, destination });
      return hold && (hold.until ?? now + ASKED_AGAIN_MS);
    },
  };
}

/** Has steps' messages say who is on the incident now: they may have waited since they were decided. @returns whether any said otherwise */
export async function noteTakers(tx: Tx, rows: readonly DeliveryRow[]): Promise<boolean> {
  const ids = rows.flatMap(({ telling }) => (telling?.escalated && telling.incident) ?? []);
  if (ids.length === 0) return false;
  const incidents = await tx.all<Pick<IncidentRow, 'id' | 'takenUp'>>(
    sql`SELECT id, taken_up FROM incidents WHERE id IN (${join(ids)})`,
  );
  const takers = new Map(incidents.map(({ id, takenUp }) => [id, takenUp?.by ?? '']));
  let isAnyOther = false;
  for (const { telling: { escalated, ...telling } = {}, ...row } of rows) {
    const takenBy = takers.get(telling.incident ?? 0);
    if (escalated === undefined || takenBy === undefined || takenBy === escalated.takenBy) continue;
    await updateRows(tx, [row], sql`telling = ${{ ...telling, escalated: { ...escalated, takenBy } }}`);
    isAnyOther = true;
  }
  return isAnyOther;
}

interface LastTrouble {
  readonly id: number;
  readonly kind: CallbackKind;
  /** The occasion with which another destination was told, such as a late result. */
  readonly telling: Pick<Telling, 'occasion'> | undefined;
}

async function lastTrouble(tx: Tx, incident: IncidentRow): Promise<LastTrouble | undefined> {
  const last = await tx.first<LastTrouble>(sql`
    SELECT id, kind, (
      SELECT telling FROM deliveries WHERE callback_id = callbacks.id AND telling LIKE '%"occasion"%' LIMIT 1) AS telling
    FROM callbacks WHERE id IN (SELECT trouble_id FROM (${troublesOf([incident])}) AS troubles) ORDER BY id DESC LIMIT 1`);
  return last && { ...last, telling: { occasion: last.telling?.occasion } };
}

/**
 * Tells a callback to these destinations: also where a rule of another route has let it go or holds it, and once more where a step told it
 * before its incident was taken up and released; not again where a route has told it.
 * @returns the targets that are told, with their deliveries
 */
async function tellLast(
  tx: Tx,
  callbackId: number,
  destinations: readonly string[],
  telling: Telling,
): Promise<readonly ToldTarget[]> {
  const again = await tx.all<Pick<DeliveryRow, 'id' | 'callbackId' | 'destination'>>(sql`
    SELECT id, callback_id, destination FROM deliveries
    WHERE callback_id = ${callbackId} AND destination IN (${join(destinations)})
      AND ((state = 'held' AND reason <> ${DISMISSED}) OR (state = 'delivered' AND telling LIKE '%"escalated"%'))
    ORDER BY id`);
  const added = await addRows(
    tx,
    callbackId,
    destinations.map((destination) => ({ destination, telling })),
  );
  await makePending(tx, again, { countsAnew: true, givenBackAt: tx.now, telling });
  return [...again, ...added].map(({ id: lastId, destination }) => ({ destination, lastId }));
}
