/** The columns of what the hot statements write: the type checker holds them complete. */
import type { NewCallback } from './callback-columns.ts';
import type { historyRow, plannedRow, updatedColumns } from './rows.ts';
import type { BotDayRow } from './tables.ts';

export const CALLBACK_COLUMNS = columnsOf<Omit<NewCallback, 'id'>>({
  kind: true,
  identity: true,
  job_id: true,
  bot_id: true,
  bot_name: true,
  status: true,
  started_at: true,
  received_at: true,
  last_received_at: true,
  times_received: true,
  body: true,
  routing: true,
  elapsed_time: true,
  about: true,
});

export const DELIVERY_COLUMNS = columnsOf<ReturnType<typeof plannedRow>>({
  callback_id: true,
  destination: true,
  channel: true,
  address: true,
  state: true,
  attempts: true,
  refusals: true,
  claimed_by: true,
  claimed_until: true,
  due_at: true,
  is_ours: true,
  updated_at: true,
  job_key: true,
  counts_from: true,
});

export const UPDATED_COLUMNS = columnsOf<ReturnType<typeof updatedColumns>>({
  state: true,
  attempts: true,
  refusals: true,
  error_class: true,
  error_code: true,
  error_message: true,
  receipt: true,
  is_followed: true,
  held_because: true,
  held_details: true,
  held_until: true,
  claimed_by: true,
  claimed_until: true,
  is_ours: true,
  updated_at: true,
});

export const HISTORY_COLUMNS = columnsOf<ReturnType<typeof historyRow>>({
  callback_id: true,
  entry: true,
});

export const BOT_DAY_COLUMNS = columnsOf<BotDayRow>({
  bot_id: true,
  day: true,
  bot_name: true,
  last_callback_id: true,
  last_received_at: true,
  last_succeeded_at: true,
  last_failed_at: true,
  succeeded: true,
  failed: true,
  started: true,
  retries: true,
  elapsed_time: true,
});

/** The columns of what is written: none may be left out, nor be one too many. */
function columnsOf<Row>(columns: Readonly<Record<keyof Row, true>>): readonly (keyof Row & string)[] {
  return Object.keys(columns) as (keyof Row & string)[];
}
