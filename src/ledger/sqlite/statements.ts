/** The hot statements in SQLite: prepared once for one row, run row by row, which costs less than to compile many rows at once. */
import type { SqliteDatabase } from 'kysely';
import {
  BOT_DAY_COLUMNS,
  CALLBACK_COLUMNS,
  DELIVERY_COLUMNS,
  HISTORY_COLUMNS,
  type HotStatements,
  type JobBegun,
  type PlaceInJob,
  type Predecessor,
  type ResultBefore,
  type Settler,
  type StatementContext,
  type Updated,
  UPDATED_COLUMNS,
} from '../hot-statements.ts';
import type { DeliveryUpdate, HistoryRecord } from '../ledger.ts';
import { ADDED_TO_BOT_DAY, type NewCallback } from '../callback-columns.ts';
import { historyRow, type NewDelivery, plannedRow, updatedColumns, WAITS_FOR_EARLIER } from '../rows.ts';
import { Deflated } from '../stored-body.ts';
import type { BotDayRow } from '../tables.ts';

/** As bytes, a body need not be turned into text and back. */
const BODY_IN_BYTES = { body: 'cast(? as text)' };

const UNLESS_KNOWN = 'on conflict (job_id, identity) do nothing';
const INSERT_CALLBACK = `${insertInto('callbacks', CALLBACK_COLUMNS, BODY_IN_BYTES)} ${UNLESS_KNOWN}`;
const INSERT_DEFLATED = `${insertInto('callbacks', CALLBACK_COLUMNS)} ${UNLESS_KNOWN}`;
const INSERT_DELIVERY = insertInto('deliveries', DELIVERY_COLUMNS);
const COUNT = `${insertInto('bot_days', BOT_DAY_COLUMNS)} ${ADDED_TO_BOT_DAY}`;
const INSERT_HISTORY = insertInto('history', HISTORY_COLUMNS);
/** Null stands first. */
const FIRST_IDENTITY = 'select identity from callbacks where job_id = ? order by identity limit 1';
/** What was taken over meanwhile stays so. */
const UPDATED = UPDATED_COLUMNS.map((column) =>
  column === 'is_ours' ? 'is_ours = max(is_ours, ?)' : `${column} = ?`,
).join();
const FINISH_DELIVERY = `update deliveries set ${UPDATED} where id = ?`;
/** What another process has taken over meanwhile is not the service's to retry: it is due at once. */
const UPDATE_CLAIMED_DELIVERY = `
  update deliveries set ${UPDATED},
    due_at = case when due_at = ${WAITS_FOR_EARLIER} then due_at when is_ours > ? then ? else ? end
  where id = ? and state = 'pending' and claimed_by = ?`;
const RESULT_BEFORE =
  "select 1 from callbacks where job_id = ? and status in (0, 1) and id < ? and kind = 'callback' limit 1";
const PREDECESSOR = `
  select id, case when claimed_until > ? then 1 else 0 end as is_claimed from deliveries
  where state = 'pending' and job_key = ? and destination = ? and callback_id < ? order by callback_id desc limit 1`;
const RELEASE_NEXT = `
  update deliveries set
    due_at = case when is_ours = 1 then ?1 else max(?1, updated_at + ?2) end,
    waited_ms = waited_ms + max(0, ?1 - updated_at)
  where due_at = ${WAITS_FOR_EARLIER} and id = (
    select pending.id from deliveries as own join deliveries as pending
      on pending.state = 'pending' and pending.job_key = own.job_key and pending.destination = own.destination
    where own.id = ?3 order by pending.callback_id limit 1
  )`;

export class SqliteStatements implements HotStatements {
  readonly #prepare: SqliteDatabase['prepare'];

  /** @param prepare keeps what it has prepared */
  constructor({ prepare }: Pick<SqliteDatabase, 'prepare'>) {
    this.#prepare = prepare;
  }

  jobsBegun(_context: StatementContext, jobIds: readonly string[]): readonly JobBegun[] {
    const look = this.#prepare(FIRST_IDENTITY);
    return jobIds.flatMap((jobId) => {
      const [row] = look.all([jobId]) as { identity: string | null }[];
      return row === undefined ? [] : { jobId, hasUnidentified: row.identity === null };
    });
  }

  insertCallbacks(_context: StatementContext, rows: readonly NewCallback[]): readonly (number | undefined)[] {
    const insert = this.#prepare(INSERT_CALLBACK);
    const deflated = () => this.#prepare(INSERT_DEFLATED);
    return rows.map((row) => {
      const { changes, lastInsertRowid } =
        row.body instanceof Deflated
          ? deflated().run(valuesOf({ ...row, body: row.body.bytes }, CALLBACK_COLUMNS))
          : insert.run(valuesOf(row, CALLBACK_COLUMNS));
      return Number(changes) > 0 ? Number(lastInsertRowid) : undefined;
    });
  }

  insertDeliveries({ time }: StatementContext, planned: readonly NewDelivery[]): readonly number[] {
    const insert = this.#prepare(INSERT_DELIVERY);
    return planned.map((delivery) => {
      const row = plannedRow(delivery, time);
      return Number(insert.run(valuesOf(row, DELIVERY_COLUMNS)).lastInsertRowid);
    });
  }

  haveResults(_context: StatementContext, jobs: readonly ResultBefore[]): readonly boolean[] {
    const look = this.#prepare(RESULT_BEFORE);
    return jobs.map(({ jobId, before }) => look.all([jobId, before]).length > 0);
  }

  predecessors(
    { time }: StatementContext,
    places: readonly PlaceInJob[],
  ): readonly (Predecessor | undefined)[] {
    const look = this.#prepare(PREDECESSOR);
    return places.map(({ jobId, destination, callbackId }) => {
      const [row] = look.all([time.now, jobId, destination, callbackId]) as {
        id: number;
        is_claimed: number;
      }[];
      return row && { id: row.id, isClaimed: row.is_claimed === 1 };
    });
  }

  countCallbacks(_context: StatementContext, days: readonly BotDayRow[]): void {
    const count = this.#prepare(COUNT);
    for (const day of days) count.run(valuesOf(day, BOT_DAY_COLUMNS));
  }

  insertHistory(_context: StatementContext, records: readonly HistoryRecord[]): void {
    const insert = this.#prepare(INSERT_HISTORY);
    for (const record of records) insert.run(valuesOf(historyRow(record), HISTORY_COLUMNS));
  }

  updateDeliveries(
    { time }: StatementContext,
    updates: readonly DeliveryUpdate[],
    { owner, takeOverAfterMs }: Settler,
  ): Updated {
    const counted: number[] = [];
    let released = 0;
    for (const update of updates) {
      const values = valuesOf(updatedColumns(update, time), UPDATED_COLUMNS);
      if (update.state === 'delivered') this.#prepare(FINISH_DELIVERY).run([...values, update.id]);
      else {
        const due = [Number(update.isTakenOver), time.now, time.in(update.dueInMs)];
        const written = this.#changes(UPDATE_CLAIMED_DELIVERY, [...values, ...due, update.id, owner]);
        if (written > 0) counted.push(update.id);
      }
      if (update.state === 'pending') continue;
      released += this.#changes(RELEASE_NEXT, [time.now, takeOverAfterMs, update.id]);
    }
    return { counted, hasReleased: released > 0 };
  }

  #changes(statement: string, values: readonly unknown[]): number {
    return Number(this.#prepare(statement).run(values).changes);
  }
}

function insertInto(
  table: string,
  columns: readonly string[],
  expressions: Readonly<Record<string, string>> = {},
): string {
  const values = columns.map((column) => expressions[column] ?? '?');
  return `insert into ${table} (${columns.join()}) values (${values.join()})`;
}

function valuesOf<Column extends string>(
  row: Readonly<Partial<Record<Column, unknown>>>,
  columns: readonly Column[],
): unknown[] {
  return columns.map((column) => row[column]);
}
