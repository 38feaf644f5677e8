/** The ledger that is copied into: empty at first, then marked as unfinished, until all of the original is there. */
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../time/clock.ts';
import type { OpenStore } from '../dialect.ts';
import { inspectStore } from '../inspect-store.ts';
import {
  COPY_MARK,
  LEDGER_TABLES,
  migrate,
  MIGRATIONS_TABLE,
  UnfinishedCopy,
} from '../migrations/migrate.ts';
import { ownerName } from '../owner.ts';
import type { Tables } from '../tables.ts';
import { TimedStore } from '../timed-store.ts';
import { contentInWords, contentsOf, type TableContent } from './contents.ts';
import { COPIED_TABLES, type CopiedTable } from './copied-tables.ts';
import { type Access, expectThisVersion, expectUnused, reading, writing } from './ends.ts';
import type { Row } from './slices.ts';

/** `unfinished`: what a copy that was cut off has left. */
export type TargetState = 'new' | 'ready' | 'unfinished';

/** @throws {Error} what is there is no ledger, or one of a newer version */
export async function targetStateOf(url: string): Promise<TargetState> {
  try {
    return await inspectStore(url);
  } catch (error) {
    if (error instanceof UnfinishedCopy) return 'unfinished';
    throw error;
  }
}

export class CopyTarget {
  readonly #store: OpenStore;
  readonly #clock: Clock;
  readonly #owner: string;
  readonly #read: Access;
  readonly #write: Access;

  constructor(store: OpenStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#owner = ownerName(clock.now());
    this.#read = reading(store, clock);
    this.#write = writing(store, clock);
  }

  get isCompressing(): boolean {
    return this.#store.traits.isCompressing;
  }

  /**
   * Makes it empty, and marks it. What is not empty is left as it is.
   * @throws {Error} it holds something, or somebody uses it
   */
  async prepare(state: TargetState): Promise<void> {
    if (state === 'unfinished') await expectThisVersion(this.#store, this.#clock);
    // Not even its tables are brought up to date.
    if (state === 'ready') await this.#expectNothing(LEDGER_TABLES);
    if (state !== 'unfinished') await migrate(this.#store, this.#clock);
    await expectUnused(this.#store, this.#clock);
    if (state !== 'unfinished') {
      await this.#expectNothing();
      await this.#write((trx) => this.#mark(trx));
    }
    await this.#write(emptyAll);
  }

  /** Another part of a table. */
  async add(table: CopiedTable, rows: readonly Row[]): Promise<void> {
    await this.#write(async (trx) => {
      await this.#insert(trx, table, rows);
      await this.#noteAlive(trx);
    });
  }

  contents(): Promise<readonly TableContent[]> {
    return this.#read((db) => contentsOf(db));
  }

  /** From here on it is a ledger like any other. */
  async finish(): Promise<void> {
    const { traits } = this.#store;
    await this.#write(async (trx) => {
      for (const { name, isNumbered } of COPIED_TABLES)
        if (isNumbered === true) await traits.giveIdsAbove(trx, name);
    });
    // Nothing is whole before all of it is on disk.
    await traits.flush();
    await this.#write(async (trx) => {
      await trx.deleteFrom('processes').where('owner', '=', this.#owner).execute();
      await sql`delete from ${sql.table(MIGRATIONS_TABLE)} where name = ${COPY_MARK}`.execute(trx);
    });
    await traits.flush();
  }

  async #expectNothing(tables?: readonly (keyof Tables)[]): Promise<void> {
    const held = contentInWords(await this.#read((db) => contentsOf(db, tables)));
    if (held === '') return;
    throw new Error(`the ledger is not empty, it holds ${held}: copy into a new one`);
  }

  async #mark(trx: Kysely<Tables>): Promise<void> {
    const at = new Date(this.#clock.now()).toISOString();
    await sql`insert into ${sql.table(MIGRATIONS_TABLE)} (name, timestamp) values (${COPY_MARK}, ${at})`.execute(
      trx,
    );
  }

  async #insert(trx: Kysely<Tables>, { name }: CopiedTable, rows: readonly Row[]): Promise<void> {
    const columns = Object.keys(rows[0] ?? {});
    const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
    await sql`
      insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))})
      ${this.#store.traits.withGivenIds} values ${sql.join(values)}`.execute(trx);
  }

  /** So that nobody else copies into it, or takes it for left behind. */
  async #noteAlive(trx: Kysely<Tables>): Promise<void> {
    const { now } = new TimedStore(this.#store, this.#clock).time();
    await trx
      .insertInto('processes')
      .values({ owner: this.#owner, config_hash: '', loaded_at: now, seen_at: now })
      .onConflict((conflict) => conflict.column('owner').doUpdateSet({ seen_at: now }))
      .execute();
  }
}

/** What refers to others goes before them. */
async function emptyAll(trx: Kysely<Tables>): Promise<void> {
  await trx.deleteFrom('processes').execute();
  for (const { name } of COPIED_TABLES.toReversed()) await trx.deleteFrom(name).execute();
}
