/** Callbacks and history between two positions of the ledger, counted by BOT and day. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { StatusCode } from '../../callback/callback.ts';
import {
  type CameOfRun,
  type Figures,
  FIGURES,
  figuresOfRun,
  type KnownRun,
  NO_FIGURES,
  withCallback,
  withElapsed,
} from '../../report/figures.ts';
import { dayOf } from '../../signal/calendar.ts';
import { memoized } from '../../time/display.ts';
import { shared, type Tx } from '../database.ts';
import type { HistoryEntries } from '../callbacks/history.ts';
import { jobKeyOf } from '../callbacks/keys.ts';
import type { CallbackKind } from '../ledger.ts';

/** Ids of the last rows that are counted. */
export interface CountedUpTo {
  readonly callbackId: number;
  readonly historyId: number;
}

/** A BOT's figures of one day; `botName`: of its last callback there. */
export interface DayOfBot extends Figures {
  readonly botKey: string;
  readonly botId: string;
  readonly botName: string;
  readonly day: number;
}

/** Counted up in place, since each callback adds to it. */
type Counted = { -readonly [Name in keyof DayOfBot]: DayOfBot[Name] };

interface RunKey {
  readonly botKey: string;
  readonly jobId: string;
}

export type RunOfJob = RunKey & KnownRun;

interface Named extends RunKey {
  readonly kind: CallbackKind;
  readonly botId: string;
  readonly botName: string;
  readonly receivedAt: number;
}

type CameRow = Named &
  CameOfRun & { readonly id: number; readonly status: StatusCode; readonly answerMs: number | undefined };

interface HistoryRow extends Named {
  readonly id: number;
  readonly what: 'received' | 'answered';
  readonly at: number;
  readonly entry: HistoryEntries['answered'];
  readonly elapsedSeconds: number | undefined;
}

/** Midnights and changes of the clock come at full quarters of an hour, so each quarter lies in one day. */
const QUARTER_MS = 900_000;
const dayOfQuarter = memoized(1000, dayOf);

const runOf = shared('text text');

const keyIn = ({ botKey, jobId }: RunKey) => jobKeyOf(jobId, botKey);

export class Tally {
  readonly #tx: Tx;
  readonly #timezone: string;
  /** By the key of their job. */
  readonly #runs = new Map<string, RunOfJob>();
  readonly #days = new Map<string, Counted>();

  constructor(tx: Tx, timezone: string) {
    this.#tx = tx;
    this.#timezone = timezone;
  }

  get runs(): readonly RunOfJob[] {
    return [...this.#runs.values()];
  }

  /** In the order of their keys. */
  get days(): readonly DayOfBot[] {
    return [...this.#days.keys()].toSorted().flatMap((key) => this.#days.get(key) ?? []);
  }

  /** Counts the next callbacks. @returns the id of the last one; undefined: there are no more up to `last` */
  async countCallbacks(after: number, last: number, most: number): Promise<number | undefined> {
    // An answer that was written with the last delivery is in its row, not in history.
    const rows = await this.#tx.all<CameRow>(sql`
      SELECT id, kind, bot_key, bot_id, bot_name, job_id, status, started_at, received_at, elapsed AS elapsed_seconds,
        (SELECT max(answered_at - posted_at) FROM deliveries WHERE callback_id = callbacks.id) AS answer_ms
      FROM callbacks WHERE id > ${after} AND id <= ${last} ORDER BY id LIMIT ${most}`);
    const came = rows.filter(({ kind }) => kind === 'callback');
    await this.#readRuns(came);
    for (const row of came) {
      this.#put(row, withCallback(this.#runs.get(keyIn(row)), row, this.#dayOf));
      if (row.answerMs !== undefined)
        this.#addOn(row, this.#dayOf(row.receivedAt), { answerMs: row.answerMs });
    }
    for (const row of rows)
      if (row.kind === 'missed' || row.kind === 'overdue')
        this.#addOn(row, this.#dayOf(row.receivedAt), { [row.kind]: 1 });
    return rows.length < most ? undefined : rows.at(-1)?.id;
  }

  /** Counts what the next rows of history say of answers and retries. @returns as `countCallbacks` */
  async countHistory(after: number, last: number, most: number): Promise<number | undefined> {
    const rows = await this.#count(sql`history.id > ${after} AND history.id <= ${last}`, most);
    return rows.length < most ? undefined : rows.at(-1)?.id;
  }

  /** Counts what history says of these callbacks after a row. */
  async countHistoryOf(callbackIds: readonly number[], after: number): Promise<void> {
    await this.#count(sql`callback_id IN (${join(callbackIds)}) AND history.id > ${after}`);
  }

  async #count(which: Sql, most = Number.MAX_SAFE_INTEGER): Promise<readonly HistoryRow[]> {
    const rows = await this.#tx.all<HistoryRow>(sql`
      SELECT history.id, what, at, entry, kind, bot_key, bot_id, bot_name, job_id, received_at, elapsed AS elapsed_seconds
      FROM history JOIN callbacks ON callbacks.id = callback_id
      WHERE ${which} AND what IN ('received', 'answered') AND kind = 'callback' ORDER BY history.id LIMIT ${most}`);
    await this.#readRuns(rows);
    for (const row of rows)
      if (row.what === 'answered') this.#addOn(row, this.#dayOf(row.entry.receivedAt), costOf(row));
      else {
        const run = this.#runs.get(keyIn(row));
        if (run !== undefined) this.#put(row, withElapsed(run, row.elapsedSeconds));
      }
    return rows;
  }

  async #readRuns(rows: readonly RunKey[]): Promise<void> {
    const unread = new Map(rows.map((row) => [keyIn(row), row]));
    for (const key of unread.keys()) if (this.#runs.has(key)) unread.delete(key);
    const found = await Promise.all(
      [...unread.values()].map(({ botKey, jobId }) =>
        this.#tx.first<RunOfJob>(runOf`
          SELECT /*nr*/ bot_key, job_id, day, status, elapsed_ms, estimated_ms FROM runs /*, given*/
          WHERE bot_key = ${botKey} AND job_id = ${jobId}`),
      ),
    );
    for (const run of found) if (run !== undefined) this.#runs.set(keyIn(run), run);
  }

  #put(row: Named, run: KnownRun): void {
    const key = keyIn(row);
    const before = this.#runs.get(key);
    this.#runs.set(key, { ...run, botKey: row.botKey, jobId: row.jobId });
    if (before !== undefined) this.#addOn(row, run.day, figuresOfRun(before), -1);
    this.#addOn(row, run.day, figuresOfRun(run));
  }

  #addOn({ botKey, botId, botName }: Named, day: number, figures: Partial<Figures>, times: 1 | -1 = 1): void {
    // All days have the same number of digits, so keys sort by day.
    const key = `${botKey}\n${day}`;
    let sum = this.#days.get(key);
    if (sum === undefined) this.#days.set(key, (sum = { ...NO_FIGURES, botKey, botId, botName, day }));
    for (const name of FIGURES) sum[name] += times * (figures[name] ?? 0);
    // The missed result of a BOT that has not run yet has no name.
    if (botName !== '') sum.botName = botName;
  }

  readonly #dayOf = (instant: number): number =>
    dayOfQuarter(instant - (instant % QUARTER_MS), this.#timezone);
}

function costOf({ at, entry: { receivedAt, status } }: HistoryRow): Partial<Figures> {
  return { answerMs: at - receivedAt, retries: status >= 300 ? 1 : 0 };
}
