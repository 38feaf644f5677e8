/** Callbacks on their way into the ledger, and what it will know them by. */
import type { Kysely } from 'kysely';
import { identityOf } from '../../callback/identity.ts';
import type { HotStatements, StatementContext } from '../hot-statements.ts';
import type { Arrival } from '../ledger.ts';
import { callbackIn, jobIdOf } from '../rows.ts';
import { type BodyToStore, isLarge } from '../stored-body.ts';
import type { Tables } from '../tables.ts';

/** An arrival, and its body as the ledger will keep it. */
export interface ArrivalToStore {
  readonly arrival: Arrival;
  readonly body: BodyToStore;
}

export interface IdentifiedArrival extends ArrivalToStore {
  readonly jobId: string;
  /** Undefined: a small one, and the only one of its job, so that there is nothing to tell it from. */
  readonly identity: string | undefined;
}

export interface Newcomers {
  readonly all: readonly IdentifiedArrival[];
  /** Jobs of which the ledger knows another callback, or will after these. */
  readonly sharedJobs: readonly string[];
}

/**
 * The first callback of a job cannot be one that came before, and of most jobs there is no other: identities are worked
 * out when a second one comes, for the first one, too. Not so of a large one: to read it again would hold up everybody.
 * @param jobIds of the arrivals, in order; nobody else may be admitting callbacks of these jobs
 */
export async function identify(
  context: StatementContext & { readonly statements: HotStatements },
  arrivals: readonly ArrivalToStore[],
  jobIds: readonly string[],
): Promise<Newcomers> {
  const begun = await context.statements.jobsBegun(context, jobIds);
  if (begun.length > 0) await context.statements.identifyCallbacks(context, begun);
  const shared = new Set([...begun, ...repeatedIn(jobIds)]);
  const all = arrivals.map(({ arrival, body }, index) => {
    const jobId = jobIds[index] as string;
    const isKnownBy = shared.has(jobId) || isLarge(arrival.body);
    return { arrival, body, jobId, identity: isKnownBy ? identityOf(arrival.callback) : undefined };
  });
  return { all, sharedJobs: [...shared] };
}

function repeatedIn(jobIds: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return jobIds.filter((jobId) => seen.size === seen.add(jobId).size);
}

/** Whether the ledger knows the callback already: then it needs no room. */
export async function isKnown(db: Kysely<Tables>, { callback }: Arrival): Promise<boolean> {
  const identity = identityOf(callback);
  const rows = await db
    .selectFrom('callbacks')
    .select(['identity', 'body'])
    .where('job_id', '=', jobIdOf(callback))
    .where((eb) => eb.or([eb('identity', '=', identity), eb('identity', 'is', null)]))
    .limit(2)
    .execute();
  return rows.some((row) => (row.identity ?? identityOf(callbackIn(row.body))) === identity);
}
