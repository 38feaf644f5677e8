/** The errors that a database throws: the store cannot be used, or the store works and one operation failed. */
import { storeTroubleIn } from '../incident/store-trouble.ts';
import { type Fault, FaultError, faultSaid } from '../text/fault.ts';
import { LedgerFull, LedgerUnavailable } from './ledger.ts';

/** The store works, but this operation failed: retrying it would fail again. */
export class OperationFailed extends LedgerUnavailable {
  override readonly name = 'OperationFailed';
}

/** The error of a store that cannot be used; a `LedgerUnavailable` stays as it is. */
export function ledgerUnavailable(error: unknown): LedgerUnavailable {
  if (error instanceof LedgerUnavailable) return error;
  return new LedgerUnavailable(`the ledger cannot be used: ${reasonOf(error)}`, { cause: error });
}

/** The error of an operation that failed in a store that works; a `LedgerUnavailable` stays as it is. */
export function operationFailed(error: unknown): LedgerUnavailable {
  if (error instanceof LedgerUnavailable) return error;
  return new OperationFailed(`the ledger could not do it: ${reasonOf(error)}`, { cause: error });
}

/** What has happened to a store, by the words of the databases, of Node and of Botbell; the first that fits. */
const TROUBLES = [
  { what: 'locked', words: /lock(?:ed| timeout)|deadlock/ },
  { what: 'slow', words: /statement timeout|in time|keeping up|exceeded when trying/ },
  { what: 'read-only', words: /read-?only|EPERM|permission denied/ },
  { what: 'full', words: /is full|max_size|no space left|disk quota|ENOSPC|EDQUOT/i },
  {
    what: 'gone',
    words:
      /deleted or moved|replaced by|unable to open|does not exist|terminat|connection error|shutting down|starting up|recovery mode|is closed|E(?:CONN|NOTFOUND|HOSTUNREACH|NETUNREACH|AI_AGAIN|NOENT)/i,
  },
] as const;

export type StoreTrouble = (typeof TROUBLES)[number]['what'] | 'refused' | 'unusable';

/** @returns `refused`: the store works, and cannot do this; `unusable`: what has happened has no name here */
export function troubleOf(error: unknown): StoreTrouble {
  if (error instanceof LedgerFull) return 'full';
  if (error instanceof OperationFailed) return 'refused';
  const reason = reasonOf(error);
  return TROUBLES.find(({ words }) => words.test(reason))?.what ?? 'unusable';
}

const PASSING: ReadonlySet<StoreTrouble> = new Set(['locked', 'slow', 'refused']);

/** Whether the store as a whole cannot be written: it is full, read-only, gone or unreachable. */
export function isOutOfOrder(error: unknown): boolean {
  return !PASSING.has(troubleOf(error));
}

/** The message of the innermost cause. */
export function reasonOf(error: unknown): string {
  const cause = causeOf(error);
  return cause instanceof Error ? cause.message : String(cause);
}

/** The same in the reader's language; databases and systems are quoted in theirs. */
export function reasonSaid(error: unknown): Fault {
  const cause = causeOf(error);
  const reason = reasonOf(cause);
  return cause instanceof FaultError ? cause.fault : faultSaid(reason, storeTroubleIn(reason, 'ja'));
}

function causeOf(error: unknown): unknown {
  if (error instanceof LedgerUnavailable && error.cause !== undefined) return causeOf(error.cause);
  // Node's AggregateError of a connection that failed at several addresses has no message.
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return first ?? error;
}

/** An error as plain data: structured clone loses its class on the way to another thread. */
export type PlainError = Pick<LedgerUnavailable, 'name' | 'message'>;

export function toPlainError(error: unknown): PlainError {
  const { name, message } = operationFailed(error);
  return { name, message };
}

export function fromPlainError({ name, message }: PlainError): LedgerUnavailable {
  return name === 'OperationFailed' ? new OperationFailed(message) : new LedgerUnavailable(message);
}
