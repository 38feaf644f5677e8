/** The store and the metrics: these ask it how much it holds, and it counts in them what it forgets early. */
import { leaseMsOf } from './compose-pipeline.ts';
import type { Config } from '../config/config.ts';
import type { OpenLedger } from '../ledger/configs/config-store.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import { ownerName } from '../ledger/owner.ts';
import type { Logger } from '../observe/logger.ts';
import { createMetrics, type Metrics } from '../observe/metrics.ts';
import { createStoreReport, reportTrouble, reportUnforeseen } from './reports.ts';
import type { Clock } from '../time/clock.ts';
import { unfailing } from '../time/unfailing.ts';

export interface StoreOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly version: string;
}

export interface MeasuredStore {
  readonly ledger: OpenLedger;
  readonly metrics: Metrics;
}

/** @throws {Error} a store that cannot be opened, or was written by a newer version */
export async function openStore({ config, clock, logger, version }: StoreOptions): Promise<MeasuredStore> {
  const sources: { ledger?: OpenLedger } = {};
  const metrics = createMetrics({
    version,
    countOpen: async () => sources.ledger?.countOpen().catch(() => undefined),
    storeBytes: async () => sources.ledger?.bytesUsed().catch(() => undefined),
  });
  const ledger = await openLedger(config.store.url, {
    clock,
    owner: ownerName(clock.now()),
    leaseMs: leaseMsOf(config),
    takeOverAfterMs: config.delivery.takeOverAfterMs,
    maxBytes: config.store.maxSizeBytes,
    onStoreEvent: unfailing(createStoreReport(logger, metrics, clock), reportUnforeseen(logger)),
    onTrouble: reportTrouble(logger),
  });
  sources.ledger = ledger;
  return { ledger, metrics };
}
