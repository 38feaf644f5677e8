/** A delivery as the ledger would hand it over, and what a config says of it, for tests that only decide. */
import type { RouteConfig } from '../../src/config/config.ts';
import type { DeliveryRecord } from '../../src/ledger/ledger.ts';
import type { PlannedTarget } from '../../src/route/router.ts';
import { NO_RULES } from '../../src/signal/rules.ts';
import { deliveryWith } from '../support/stories.ts';

const WAITS = { takeOverAfterMs: 120_000, giveUpAfterMs: 86_400_000 };
/** The defaults of `delivery`. */
export const POLICY = { timeoutMs: 5000, attemptsPerRequest: 2, permanentAttempts: 2, ...WAITS };

/** Pending, never attempted, in nobody's hands, unless the fields say otherwise. */
export function deliveryRecord(fields: Partial<DeliveryRecord> = {}): DeliveryRecord {
  return deliveryWith({ state: 'pending', attempts: 0, callbackId: 1, ageMs: 0, ...fields });
}

export function plannedTo(destination: string): PlannedTarget {
  const [channel = '', address = ''] = destination.split(/:(.*)/s);
  return { destination, channel, address, perJob: 'message', options: {} };
}

/** Of no BOT, told of each status, unless the fields say otherwise. */
export function routeWith(name: string, fields: Partial<RouteConfig>): RouteConfig {
  const on = ['succeeded', 'error', 'executing'] as const;
  const base = { on, notify: [plannedTo('slack:#ops')], rules: NO_RULES, groups: [], templateSet: undefined };
  return { name, botIds: [], ...base, ...fields };
}
