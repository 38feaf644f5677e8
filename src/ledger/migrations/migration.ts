/** What each migration is, and the columns that most of them make. */
import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import type { DialectTraits } from '../dialect.ts';

/** Of a ledger at any age, so no table is known by its type. */
export type Schema = Kysely<unknown>;

/** What it may ask of the database. */
export type MigrationTraits = Pick<DialectTraits, 'isShared' | 'idType' | 'asGeneratedId'>;

/** Never edited once it is released: what it says stands as literals, and nothing of today's rows is imported. */
export type Step = (db: Schema, traits: MigrationTraits) => Promise<void>;

export const required = (column: ColumnDefinitionBuilder) => column.notNull();

export function newTable(db: Schema, traits: MigrationTraits, name: string) {
  return db.schema
    .createTable(name)
    .addColumn('id', traits.idType, (column) => traits.asGeneratedId(column.primaryKey()));
}
