/** The hot statements in SQLite: prepared once for one row, run row by row, which costs less than to compile many rows at once. */
import type { SqliteDatabase } from 'kysely';
import type {
  HotStatements,
  JobBegun,
  PlaceInJob,
  Predecessor,
  ResultBefore,
  Settler,
  StatementContext,
  Updated,
} from '../hot-statements.ts';
import type { DeliveryUpdate, HistoryRecord } from '../ledger.ts';
import { ADDED_TO_BOT_DAY, type NewCallback } from '../callback-columns.ts';
import { historyRow, type NewDelivery, plannedRow, updatedColumns, WAITS_FOR_EARLIER } from '../rows.ts';
import { Deflated } from '../stored-body.ts';
import type { BotDayRow } from '../tables.ts';

const UNLESS_KNOWN = 'on conflict (job_id, identity) do nothing';
/** As bytes, a body need not be turned into text and back. */
const INSERT_CALLBACK = insertInto('callbacks', UNLESS_KNOWN, { body: 'cast(? as text)' });
const INSERT_DEFLATED = insertInto('callbacks', UNLESS_KNOWN);
const INSERT_DELIVERY = insertInto('deliveries');
const COUNT = insertInto('bot_days', ADDED_TO_BOT_DAY);
const INSERT_HISTORY = insertInto('history');
/** Null stands first. */
const FIRST_IDENTITY = 'select identity from callbacks where job_id = ? order by identity limit 1';
/** What was taken over meanwhile stays so. */
const setOf = (columns: readonly string[]) =>
  columns.map((column) => (column === 'is_ours' ? 'is_ours = max(is_ours, ?)' : `${column} = ?`)).join();
const FINISH_DELIVERY = rowWriter((columns) => `update deliveries set ${setOf(columns)} where id = ?`);
/** What another process has taken over meanwhile is not the service's to retry: it is due at once. */
const UPDATE_CLAIMED_DELIVERY = rowWriter(
  (columns) => `
  update deliveries set ${setOf(columns)},
    due_at = case when due_at = ${WAITS_FOR_EARLIER} then due_at when is_ours > ? then ? else ? end
  where id = ? and state = 'pending' and claimed_by = ?`,
);
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
    return rows.map((row) => {
      const { changes, lastInsertRowid } =
        row.body instanceof Deflated
          ? this.#run(INSERT_DEFLATED({ ...row, body: row.body.bytes }))
          : this.#run(INSERT_CALLBACK(row));
      return Number(changes) > 0 ? Number(lastInsertRowid) : undefined;
    });
  }

  insertDeliveries({ time }: StatementContext, planned: readonly NewDelivery[]): readonly number[] {
    return planned.map((delivery) =>
      Number(this.#run(INSERT_DELIVERY(plannedRow(delivery, time))).lastInsertRowid),
    );
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
    for (const day of days) this.#run(COUNT(day));
  }

  insertHistory(_context: StatementContext, records: readonly HistoryRecord[]): void {
    for (const record of records) this.#run(INSERT_HISTORY(historyRow(record)));
  }

  updateDeliveries(
    { time }: StatementContext,
    updates: readonly DeliveryUpdate[],
    { owner, takeOverAfterMs }: Settler,
  ): Updated {
    const releaseNext = this.#prepare(RELEASE_NEXT);
    const counted: number[] = [];
    let released = 0;
    for (const update of updates) {
      const columns = updatedColumns(update, time);
      if (update.state === 'delivered') this.#run(FINISH_DELIVERY(columns), update.id);
      else {
        const due = [Number(update.isTakenOver), time.now, time.in(update.dueInMs)];
        const { changes } = this.#run(UPDATE_CLAIMED_DELIVERY(columns), ...due, update.id, owner);
        if (Number(changes) > 0) counted.push(update.id);
      }
      if (update.state === 'pending') continue;
      released += Number(releaseNext.run([time.now, takeOverAfterMs, update.id]).changes);
    }
    return { counted, hasReleased: released > 0 };
  }

  /** @param others stand after the row's values */
  #run({ text, values }: RowStatement, ...others: readonly unknown[]) {
    return this.#prepare(text).run(others.length === 0 ? values : [...values, ...others]);
  }
}

interface RowStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** To be given rows of one type: the text is made of the first one's columns, which all of them have. */
function rowWriter(textOf: (columns: readonly string[]) => string): (row: object) => RowStatement {
  let made: { readonly text: string; readonly columns: readonly string[] } | undefined;
  return (row) => {
    const columns = made?.columns ?? Object.keys(row);
    made ??= { columns, text: textOf(columns) };
    return { text: made.text, values: columns.map((column) => row[column as keyof typeof row]) };
  };
}

function insertInto(
  table: string,
  ending = '',
  expressions: Readonly<Record<string, string>> = {},
): (row: object) => RowStatement {
  return rowWriter((columns) => {
    const values = columns.map((column) => expressions[column] ?? '?');
    return `insert into ${table} (${columns.join()}) values (${values.join()}) ${ending}`;
  });
}
