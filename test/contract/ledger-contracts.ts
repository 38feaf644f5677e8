/** What every ledger promises, whatever database holds it. */
import { describeAlerts } from './alert-contract.ts';
import { describeClaims } from './claim-contract.ts';
import { describeConfigChanges } from './config-contract.ts';
import { describeDueDeliveries } from './due-contract.ts';
import { describeEscalation } from './escalation-contract.ts';
import { describeForgetting } from './forgetting-contract.ts';
import { describeIncidents } from './incident-contract.ts';
import { describeLedger } from './ledger-contract.ts';
import type { CreateStore } from './ledger-bench.ts';
import { describeSetClocks } from './set-clock-contract.ts';
import { describeSignals } from './signal-contract.ts';

const CONTRACTS = [
  describeLedger,
  describeDueDeliveries,
  describeClaims,
  describeConfigChanges,
  describeAlerts,
].concat([describeSignals, describeEscalation, describeSetClocks, describeForgetting, describeIncidents]);

export function describeContracts(name: string, createStore: CreateStore): void {
  for (const describeOne of CONTRACTS) describeOne(name, createStore);
}
