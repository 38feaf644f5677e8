/** What arrives: compressed, given room, and admitted together with what arrives at the same moment. */
import type { Deadline } from '../../time/clock.ts';
import { admitAll } from './admission.ts';
import { raiseAlerts } from '../alert-rows.ts';
import type { CallbacksInHand, ClaimingTransaction, OrphanedClaims } from '../settle/settlements.ts';
import { GroupCommit } from '../group-commit.ts';
import { type Admission, type Arrival, LedgerFull } from '../ledger.ts';
import { isKnown } from './readmission.ts';
import { identified, type IdentifiedArrival } from '../callback-columns.ts';
import type { Claim } from '../rows.ts';
import { bytesAdded, type StoreSpace } from '../retention/store-space.ts';
import { type BodyCompressor, bytesToStore } from '../stored-body.ts';
import { type TimedStore, unavailable } from '../timed-store.ts';

export interface AdmissionsOptions {
  readonly store: TimedStore;
  readonly claim: Claim & { readonly takeOverAfterMs: number };
  /** `2026-01-31`, of milliseconds since the epoch. */
  readonly dayOf: (ms: number) => string;
  /** This process's own time. */
  readonly now: () => number;
  readonly transact: ClaimingTransaction;
  readonly orphans: OrphanedClaims;
  readonly inHand: CallbacksInHand;
  readonly compressor: BodyCompressor;
  /** Undefined: the store is bounded by others. */
  readonly space: StoreSpace | undefined;
}

export class Admissions {
  readonly #options: AdmissionsOptions;
  readonly #group: GroupCommit<IdentifiedArrival, Admission>;

  constructor(options: AdmissionsOptions) {
    const { store, orphans } = options;
    this.#options = options;
    this.#group = new GroupCommit({
      commit: (batch, deadline) => this.#commit(batch, deadline),
      bytesOf: ({ arrival }) => arrival.body.byteLength,
      mayPassInPieces: (error) => store.isRefusal(error),
      onLate: (_arrival, { claimed }) => orphans.keep(claimed),
    });
  }

  /** @throws {LedgerFull} @throws {LedgerUnavailable} */
  async admit(arrival: Arrival, deadline: Deadline): Promise<Admission> {
    const { compressor, inHand, space } = this.#options;
    const body = await compressor.toStore(arrival.body);
    const known = identified(arrival, body);
    const { bot_id, bot_name } = known.row;
    const textBytes = bytesToStore(body).byteLength + Buffer.byteLength(bot_id) + Buffer.byteLength(bot_name);
    const bytes = bytesAdded(textBytes, arrival.planned.length);
    const hasRoom = space === undefined || space.tryReserve(bytes) || (await space.reserve(bytes, deadline));
    if (!hasRoom) await this.#refuseNew(known, deadline);
    let isAdded = true;
    try {
      const admission = await this.#group.add(known, deadline);
      isAdded = admission.isNew;
      inHand.begin(admission);
      return admission;
    } catch (error) {
      throw unavailable(error);
    } finally {
      if (hasRoom) space?.release(bytes, isAdded);
    }
  }

  async #refuseNew(arrival: IdentifiedArrival, deadline: Deadline): Promise<void> {
    if (!(await this.#options.store.read(deadline, (db) => isKnown(db, arrival)))) throw new LedgerFull();
  }

  #commit(batch: readonly IdentifiedArrival[], deadline: Deadline): Promise<readonly Admission[]> {
    const { store, claim, dayOf, now, transact } = this.#options;
    const { traits, statements } = store;
    const context = {
      traits,
      statements,
      time: store.time(),
      claim,
      takeOverAfterMs: claim.takeOverAfterMs,
      dayOf,
      now: now(),
    };
    const isDurable = batch.some(({ arrival }) => arrival.isAccepted);
    return transact(
      { isDurable, deadline },
      async (trx) => {
        const admissions = await admitAll({ ...context, trx }, batch);
        const alerts = batch.flatMap(({ arrival }, index) =>
          (arrival.alerts ?? []).map((alert) => ({ ...alert, about: admissions[index]?.callbackId })),
        );
        if (alerts.length > 0) await raiseAlerts({ trx, time: store.time() }, statements, alerts);
        return admissions;
      },
      (admissions) => ({
        ids: admissions.flatMap(({ claimed }) => [...claimed]),
        jobIds: batch.map(({ jobId }) => jobId),
      }),
    );
  }
}
