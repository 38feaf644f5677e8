/** How a database goes about each statement of an operation: asked before the statement is run. */
import sql, { raw, Sql } from 'sql-template-tag';
import { Fixed, type Operation, type Statement } from '../../src/ledger/database.ts';

export interface Explained {
  readonly statement: string;
  /** A line for each step. */
  readonly plan: readonly string[];
}

/** @param explain `EXPLAIN QUERY PLAN` or `EXPLAIN`. @param onPlan gets each statement */
export function explained<Args extends readonly unknown[], Result>(
  operation: Operation<Args, Result>,
  explain: string,
  onPlan: (each: Explained) => void,
): Operation<Args, Result> {
  return (tx, ...args) => {
    const all = async <Row>(statement: Statement) => {
      const asked = statement instanceof Fixed ? new Sql(statement.strings, statement.values) : statement;
      const rows = await tx.all<Readonly<Record<string, unknown>>>(sql`${raw(explain)} ${asked}`);
      const plan = rows.map((row) => String(row['detail'] ?? row['QUERY PLAN']));
      onPlan({ statement: statement.sql.replaceAll(/\s+/g, ' ').trim(), plan });
      return tx.all<Row>(statement);
    };
    const last = <Done>(work: () => Promise<Done>) => work();
    return operation(
      { ...tx, all, last, first: async <Row>(statement: Statement) => (await all<Row>(statement))[0] },
      ...args,
    );
  };
}
