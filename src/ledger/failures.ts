/** What a database throws: that the store cannot be used, or that it works and one operation failed. */
import { LedgerFull, LedgerUnavailable } from './ledger.ts';

/** The store works, and this operation failed all the same: to ask again would change nothing. */
export class OperationFailed extends LedgerUnavailable {
  override readonly name = 'OperationFailed';
}

/** Of a store that cannot be used; what says so already stays as it is. */
export function unavailable(error: unknown): LedgerUnavailable {
  if (error instanceof LedgerUnavailable) return error;
  return new LedgerUnavailable(`the ledger cannot be used: ${reasonOf(error)}`, { cause: error });
}

/** Of an operation in a store that works. */
export function failed(error: unknown): LedgerUnavailable {
  if (error instanceof LedgerUnavailable) return error;
  return new OperationFailed(`the ledger could not do it: ${reasonOf(error)}`, { cause: error });
}

/** In the words of whoever failed first. */
export function reasonOf(error: unknown): string {
  if (error instanceof LedgerUnavailable && error.cause !== undefined) return reasonOf(error.cause);
  // Node gives what failed at several addresses no words of its own.
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  const reason = first ?? error;
  return reason instanceof Error ? reason.message : String(reason);
}

/** An error as it crosses to another thread, which has classes of its own. */
export type SentError = Pick<LedgerUnavailable, 'name' | 'message'>;

export function sentError(error: unknown): SentError {
  const { name, message } = failed(error);
  return { name, message };
}

export function receivedError({ name, message }: SentError): LedgerUnavailable {
  if (name === 'LedgerFull') return new LedgerFull(message);
  return name === 'OperationFailed' ? new OperationFailed(message) : new LedgerUnavailable(message);
}
