/** All that the ledger knows of one callback, read a few rows at a time: nobody else has to wait for it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { FailureClass } from '../../channels/failure.ts';
import { actionsOn } from '../actions/action-rows.ts';
import type { AnswerRecord, AttemptRecord, CallbackKind, CallbackResult } from '../ledger.ts';
import type { StoreTime } from '../rows.ts';
import type { HistoryAttempt, HistoryEntry, Tables } from '../tables.ts';
import type { ArchivedDelivery, ArchivedPause, CallbackStory } from './archive.ts';
import { archived, columns, deliveriesOf } from './archived-callbacks.ts';

const MOST_ALERTS = 500;

/** Entries and characters: one of them has every attempt at every destination, each with its error. */
const LARGEST_HISTORY = { entries: 1000, characters: 2_000_000 } as const;
const ENTRIES_AT_ONCE = 20;

export async function storyOf(
  db: Kysely<Tables>,
  time: StoreTime,
  id: number,
): Promise<CallbackStory | undefined> {
  const found = await db
    .selectFrom('callbacks')
    .select([...columns, 'kind', 'routing'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (found === undefined) return undefined;
  const { kind, routing, ...row } = found;
  const deliveries = await deliveriesOf(db, time, [id]);
  const own = deliveries.get(id) ?? [];
  const history = await historyOf(db, id);
  const alerts = await db
    .selectFrom('callbacks')
    .select('id')
    .where('about', '=', id)
    .orderBy('id')
    .limit(MOST_ALERTS)
    .execute();
  const result = history.findLast(({ answer }) => answer !== undefined)?.answer?.result;
  return {
    ...archived(row, own, result),
    kind: kind as CallbackKind,
    routing: JSON.parse(routing),
    pauses: await pausesOf(db, time, own),
    history,
    alerts: alerts.map((alert) => alert.id),
    actions: await actionsOn(db, id),
  };
}

/** By their key. */
async function pausesOf(
  db: Kysely<Tables>,
  { now }: StoreTime,
  deliveries: readonly ArchivedDelivery[],
): Promise<readonly ArchivedPause[]> {
  const places = new Set(deliveries.flatMap(({ destination, channel }) => [destination, channel]));
  if (places.size === 0) return [];
  return db
    .selectFrom('paces')
    .select(['destination', sql<number>`next_at - ${now}`.as('nextInMs')])
    .where('destination', 'in', [...places])
    .where('next_at', '>', now)
    .orderBy('destination')
    .execute();
}

/** The newest of them, in the order in which they were written. */
async function historyOf(db: Kysely<Tables>, id: number): Promise<CallbackStory['history']> {
  const entries: HistoryEntry[] = [];
  let characters = 0;
  for (let before = Number.MAX_SAFE_INTEGER; ; await nextTurn()) {
    const rows = await entriesBefore(db, id, before);
    for (const { entry } of rows) {
      entries.push(JSON.parse(entry) as HistoryEntry);
      characters += entry.length;
    }
    before = rows.at(-1)?.id ?? 0;
    const { entries: most, characters: mostCharacters } = LARGEST_HISTORY;
    const isEnough = entries.length >= most || characters >= mostCharacters;
    if (isEnough || rows.length < ENTRIES_AT_ONCE) return entries.map(historyEntryIn).toReversed();
  }
}

function entriesBefore(db: Kysely<Tables>, callbackId: number, before: number) {
  return db
    .selectFrom('history')
    .select(['id', 'entry'])
    .where('callback_id', '=', callbackId)
    .where('id', '<', before)
    .orderBy('id', 'desc')
    .limit(ENTRIES_AT_ONCE)
    .execute();
}

function historyEntryIn({ attempts = [], answer }: HistoryEntry): CallbackStory['history'][number] {
  return { attempts: attempts.map(attemptIn), answer: answer && answerIn(answer) };
}

function attemptIn(attempt: HistoryAttempt): AttemptRecord {
  const { delivery_id, started_at, duration_ms, error_code, error_message } = attempt;
  const outcome = attempt.outcome as AttemptRecord['outcome'];
  const error =
    outcome === 'delivered'
      ? undefined
      : { class: outcome satisfies FailureClass, code: error_code ?? '', message: error_message ?? '' };
  return { deliveryId: delivery_id, startedAt: started_at, durationMs: duration_ms, outcome, error };
}

function answerIn(answer: NonNullable<HistoryEntry['answer']>): AnswerRecord {
  const { received_at, answered_at, status, result } = answer;
  return { receivedAt: received_at, answeredAt: answered_at, status, result: result as CallbackResult };
}
