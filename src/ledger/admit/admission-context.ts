/** What the admission of callbacks needs beside the callbacks. */
import type { DialectTraits } from '../dialect.ts';
import type { HotStatements, StatementContext } from '../hot-statements.ts';
import type { Claim } from '../rows.ts';

export interface AdmissionContext extends StatementContext {
  readonly traits: DialectTraits;
  readonly statements: HotStatements;
  readonly claim: Claim;
  /** When Botbell takes over what the service does not retry. */
  readonly takeOverAfterMs: number;
  /** `2026-01-31`, of milliseconds since the epoch. */
  readonly dayOf: (ms: number) => string;
  /** This process's own time. */
  readonly now: number;
}
