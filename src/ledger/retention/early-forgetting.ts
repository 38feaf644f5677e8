/** Forgetting what is done before its time, oldest first, where the store would grow beyond its limit. */
import type { Kysely } from 'kysely';
import type { Clock } from '../../time/clock.ts';
import type { DialectTraits } from '../dialect.ts';
import { CALLBACKS_PER_STEP, forget, pruneStep, sizesOf, withinBytes } from './prune.ts';
import type { PruneStep } from './retention.ts';
import type { Tables } from '../tables.ts';

/**
 * While there is still some room, what is younger stays: the service may post it again, and nobody is to be told twice. A
 * store that is full keeps nothing that is done.
 */
const MAY_COME_AGAIN_MS = 3_600_000;

/** Where nothing is left to be forgotten, nobody looks again for so long, but at what is known to be done. */
const REST_MS = 10_000;

/** Now and then all of it is looked at again: what another process has finished, nobody tells. */
const PASS_MS = 10 * 60_000;

const MOST_CANDIDATES = 10_000;

/** `early`: what can hardly come again; `all`: whatever is done. */
export type Urgency = 'early' | 'all';

/** One step of it, in one transaction. */
export interface EarlyStep {
  /** Ids of callbacks that may be done by now; empty: it goes on through all of them. */
  readonly candidates: readonly number[];
  /** Milliseconds since the epoch, like `now`. */
  readonly before: number;
  readonly now: number;
  readonly after: number;
}

export interface EarlyStepDone extends PruneStep {
  /** Of the candidates, those for which there was too much to do. */
  readonly left: readonly number[];
}

export class EarlyForgetting {
  readonly #step: (step: EarlyStep) => Promise<EarlyStepDone>;
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  #after = 0;
  #passBeganAt = Number.NEGATIVE_INFINITY;
  readonly #restsUntil = { early: Number.NEGATIVE_INFINITY, all: Number.NEGATIVE_INFINITY };
  #candidates: number[] = [];
  #running: { readonly urgency: Urgency; readonly forgotten: Promise<number> } | undefined;

  constructor(step: (step: EarlyStep) => Promise<EarlyStepDone>, clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#step = step;
    this.#clock = clock;
  }

  /** Something of it has been delivered or answered. */
  mayBeDone(callbackId: number): void {
    if (callbackId <= this.#after && this.#candidates.length < MOST_CANDIDATES) {
      this.#candidates.push(callbackId);
    }
  }

  /** Whether a step may find something. */
  isWorthwhile(urgency: Urgency): boolean {
    if (urgency === 'all' && this.#candidates.length > 0) return true;
    return this.#clock.monotonic() >= this.#restsUntil[urgency];
  }

  /** One step for all who ask for one meanwhile. @returns how many went. @throws {LedgerUnavailable} */
  async forget(urgency: Urgency): Promise<number> {
    while (this.#running !== undefined) {
      if (this.#running.urgency === urgency) return this.#running.forgotten;
      await this.#running.forgotten.catch(() => undefined);
    }
    const forgotten = this.#forget(urgency).finally(() => {
      this.#running = undefined;
    });
    this.#running = { urgency, forgotten };
    return forgotten;
  }

  async #forget(urgency: Urgency): Promise<number> {
    const now = this.#clock.now();
    const candidates = urgency === 'all' ? this.#candidates.slice(0, CALLBACKS_PER_STEP) : [];
    if (candidates.length > 0) {
      const { forgotten, left } = await this.#step({ candidates, before: now, now, after: 0 });
      this.#candidates.splice(0, candidates.length, ...left);
      return forgotten;
    }
    this.#beginPassIfDue();
    const before = urgency === 'all' ? now + 1 : now - MAY_COME_AGAIN_MS;
    const step = await this.#step({ candidates, before, now, after: this.#after });
    this.#after = step.lookedAt;
    if (step.isThrough) this.#restsUntil[urgency] = this.#clock.monotonic() + REST_MS;
    return step.forgotten;
  }

  #beginPassIfDue(): void {
    const now = this.#clock.monotonic();
    if (now < this.#passBeganAt + PASS_MS) return;
    this.#passBeganAt = now;
    this.#after = 0;
  }
}

/** What is in hand stays, and so do the newest: SQLite would give their ids again, while somebody may still know them. */
export async function earlyStep(
  trx: Kysely<Tables>,
  traits: Pick<DialectTraits, 'lockForgotten'>,
  inHand: Pick<ReadonlySet<number>, 'has'>,
  { candidates, before, now, after }: EarlyStep,
): Promise<EarlyStepDone> {
  const newest = await newestIn(trx);
  const kept = { has: (id: number) => inHand.has(id) || newest.has(id) };
  if (candidates.length === 0) {
    return { ...(await pruneStep(trx, traits, { sweep: 'done', before, now, after, kept })), left: [] };
  }
  const known = await sizesOf(
    trx,
    candidates.filter((id) => !kept.has(id)),
  ).execute();
  const ids = withinBytes(known).rows.map(({ id }) => id);
  const { forgotten, left } = await forget(trx, traits, 'done', ids);
  const tooLarge = known.slice(ids.length).map(({ id }) => id);
  return { forgotten, left: [...left, ...tooLarge], lookedAt: after, isThrough: false };
}

async function newestIn(trx: Kysely<Tables>): Promise<ReadonlySet<number>> {
  const newest = await trx
    .selectFrom('callbacks')
    .select((eb) => eb.fn.max('id').as('id'))
    .executeTakeFirst();
  const owner = await trx
    .selectFrom('deliveries')
    .select('callback_id')
    .where('id', '=', (eb) => eb.selectFrom('deliveries').select((max) => max.fn.max('id').as('id')))
    .executeTakeFirst();
  return new Set([newest?.id ?? 0, owner?.callback_id ?? 0]);
}
