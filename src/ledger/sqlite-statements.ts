/** The hot statements in SQLite: prepared once for one row, run row by row, which costs less than to compile many rows at once. */
import type { SqliteDatabase } from 'kysely';
import { identityOf } from '../callback/identity.ts';
import type { HotStatements, PlannedRow, StatementContext } from './hot-statements.ts';
import type { DeliveryUpdate, HistoryRecord } from './ledger.ts';
import { callbackIn, historyRow, type NewCallback, plannedRow, updatedColumns } from './rows.ts';
import type { CallbackRow, DeliveryRow, HistoryRow } from './tables.ts';

const CALLBACK_COLUMNS = [
  'kind',
  'identity',
  'job_id',
  'bot_id',
  'bot_name',
  'status',
  'started_at',
  'received_at',
  'last_received_at',
  'times_received',
  'body',
  'routing',
] as const satisfies readonly (keyof CallbackRow)[];

const DELIVERY_COLUMNS = [
  'callback_id',
  'destination',
  'channel',
  'address',
  'state',
  'attempts',
  'refusals',
  'claimed_by',
  'claimed_until',
  'due_at',
  'is_ours',
  'updated_at',
] as const satisfies readonly (keyof DeliveryRow)[];

const UPDATED_COLUMNS = [
  'state',
  'attempts',
  'refusals',
  'error_class',
  'error_code',
  'error_message',
  'receipt',
  'held_because',
  'claimed_by',
  'claimed_until',
  'due_at',
  'is_ours',
  'updated_at',
] as const satisfies readonly (keyof DeliveryRow)[];

const HISTORY_COLUMNS = ['callback_id', 'entry'] as const satisfies readonly (keyof HistoryRow)[];

/** As bytes, a body need not be turned into text and back. */
const BODY_IN_BYTES = { body: 'cast(? as text)' };

const INSERT_CALLBACK = `${insertInto('callbacks', CALLBACK_COLUMNS, BODY_IN_BYTES)} on conflict (job_id, identity) do nothing`;
const INSERT_DELIVERY = insertInto('deliveries', DELIVERY_COLUMNS);
const INSERT_HISTORY = insertInto('history', HISTORY_COLUMNS);
const CALLBACK_OF_THE_JOB = 'select 1 from callbacks where job_id = ? limit 1';
const UNIDENTIFIED = 'select id, body from callbacks where job_id = ? and identity is null';
const IDENTIFY = 'update callbacks set identity = ? where id = ?';
const UPDATE_DELIVERY = `update deliveries set ${UPDATED_COLUMNS.map((column) => `${column} = ?`).join()} where id = ?`;
const UPDATE_CLAIMED_DELIVERY = `${UPDATE_DELIVERY} and state = 'pending' and claimed_by = ?`;

export class SqliteStatements implements HotStatements {
  readonly #prepare: SqliteDatabase['prepare'];

  /** @param prepare keeps what it has prepared */
  constructor({ prepare }: Pick<SqliteDatabase, 'prepare'>) {
    this.#prepare = prepare;
  }

  jobsBegun(_context: StatementContext, jobIds: readonly string[]): readonly string[] {
    const look = this.#prepare(CALLBACK_OF_THE_JOB);
    return jobIds.filter((jobId) => look.all([jobId]).length > 0);
  }

  identifyCallbacks(_context: StatementContext, jobIds: readonly string[]): void {
    const look = this.#prepare(UNIDENTIFIED);
    const identify = this.#prepare(IDENTIFY);
    for (const jobId of jobIds) {
      for (const { id, body } of look.all([jobId]) as { id: number; body: string }[]) {
        identify.run([identityOf(callbackIn(body)), id]);
      }
    }
  }

  insertCallbacks(_context: StatementContext, rows: readonly NewCallback[]): readonly (number | undefined)[] {
    const insert = this.#prepare(INSERT_CALLBACK);
    return rows.map((row) => {
      const { changes, lastInsertRowid } = insert.run(valuesOf(row, CALLBACK_COLUMNS));
      return Number(changes) > 0 ? Number(lastInsertRowid) : undefined;
    });
  }

  insertDeliveries({ time }: StatementContext, planned: readonly PlannedRow[]): readonly number[] {
    const insert = this.#prepare(INSERT_DELIVERY);
    return planned.map(({ callbackId, target, plan }) => {
      const row = plannedRow(callbackId, target, plan, time);
      return Number(insert.run(valuesOf(row, DELIVERY_COLUMNS)).lastInsertRowid);
    });
  }

  insertHistory(_context: StatementContext, records: readonly HistoryRecord[]): void {
    const insert = this.#prepare(INSERT_HISTORY);
    for (const record of records) insert.run(valuesOf(historyRow(record), HISTORY_COLUMNS));
  }

  updateDeliveries(
    { time }: StatementContext,
    updates: readonly DeliveryUpdate[],
    owner: string,
  ): readonly number[] {
    const counted: number[] = [];
    for (const update of updates) {
      const values = [...valuesOf(updatedColumns(update, time), UPDATED_COLUMNS), update.id];
      if (update.state === 'delivered') this.#prepare(UPDATE_DELIVERY).run(values);
      else if (Number(this.#prepare(UPDATE_CLAIMED_DELIVERY).run([...values, owner]).changes) > 0) {
        counted.push(update.id);
      }
    }
    return counted;
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
