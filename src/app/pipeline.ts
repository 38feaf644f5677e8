/** Puts what delivers together: whatever one config decides comes from the settings in force, all else outlives them. */
import { refusalAlert } from '../deliver/alerts.ts';
import { SeenDestinations } from '../deliver/destination-figures.ts';
import { BulkRunner } from '../deliver/bulk-runner.ts';
import { createOperations, type SendTest } from '../deliver/operations.ts';
import { Bridge } from '../deliver/bridge.ts';
import { ConfigFollower } from '../deliver/config-follower.ts';
import { type Attempt, createAttempt, createSender } from '../deliver/sender.ts';
import { DeliveriesUnderWay, TurnsOfJobs } from '../deliver/deliveries-under-way.ts';
import { Lanes } from '../deliver/lanes.ts';
import { LargeNotices } from '../deliver/large-notices.ts';
import type { MemoryBudget } from '../deliver/memory-budget.ts';
import { type Capacity, Shares, Slots } from '../deliver/capacity.ts';
import { changedChannels, type RunningSettings } from '../deliver/settings.ts';
import { Rerouter, type Revival } from '../deliver/rerouter.ts';
import { Worker } from '../deliver/worker.ts';
import type { OpenLedger } from '../ledger/configs/config-store.ts';
import type { RefusedBody } from '../ledger/ledger.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import type { ActionReports } from './action-reports.ts';
import type { PipelineReports } from './reports.ts';
import { type AppSettings, NO_PACE } from './settings.ts';
import { composeTest } from './test-sending.ts';

export interface PipelineParts extends PipelineReports, ActionReports {
  readonly settings: RunningSettings<AppSettings>;
  readonly ledger: OpenLedger;
  readonly clock: Clock;
  /** For all callbacks that this process has in memory. */
  readonly memory: MemoryBudget;
  readonly onUnforeseen: (error: unknown) => void;
}

export interface Pipeline {
  readonly bridge: Bridge;
  readonly worker: Worker;
  readonly lanes: Lanes;
  readonly underWay: DeliveriesUnderWay;
  readonly follower: ConfigFollower;
  readonly seen: SeenDestinations;
  readonly bulks: BulkRunner;
  /** What people can do. */
  readonly operations: ReturnType<typeof createOperations>;
  /** Keeps a refused body, and has the operators alerted of it. @throws {LedgerUnavailable} */
  readonly refuse: (refused: RefusedBody, withinMs: number) => Promise<void>;
}

export function composePipeline(parts: PipelineParts): Pipeline {
  const { settings, ledger } = parts;
  const lanes = new Lanes({
    clock: parts.clock,
    store: ledger.paces,
    paceOf: (channel) => settings.current.channels.get(channel)?.pace ?? NO_PACE,
    onTrouble: parts.onStoreTrouble,
  });
  const underWay = new DeliveriesUnderWay();
  const capacity = capacityFor(parts);
  const onDue = (destinations: readonly string[]) => worker.nudge(destinations);
  const onRevival = (revival: Revival) => {
    parts.onRevival(revival);
    onDue([revival.destination]);
  };
  const follower = new ConfigFollower({
    ...parts,
    ledger: ledger.configs,
    onDue,
    onRevival,
    onTrouble: parts.onStoreTrouble,
  });
  const rerouter = new Rerouter({
    ...parts,
    ledger: ledger.configs,
    mayRouteAnew: () => follower.mayRouteAnew,
    onRevival,
  });
  const seen = seenDestinations(parts);
  const attempt = composeAttempt(parts, seen);
  const send = createSender({ ...parts, lanes, attempt, random: Math.random });
  const shared = { ...parts, underWay, send, rerouter, random: Math.random };
  const worker = composeWorker(parts, { ...shared, lanes });
  const bridge = new Bridge({
    ...shared,
    turns: new TurnsOfJobs({ ...parts, underWay }),
    capacity,
    onDue,
  });
  settings.onSwap((next, previous) => adopt(next, previous, { capacity, lanes, follower }));
  const refuse = async (refused: RefusedBody, withinMs: number) => {
    const { alerts } = settings.current;
    await ledger.refuse(refused, refusalAlert(refused, alerts), withinMs);
    onDue(alerts.targets.map(({ destination }) => destination));
  };
  const acting = composeActing(parts, worker, composeTest({ ...parts, lanes, underWay }));
  return { bridge, worker, lanes, underWay, follower, seen, refuse, ...acting };
}

function composeActing(
  { clock, ledger, settings, onAction, onBulkEnded, onStoreTrouble }: PipelineParts,
  worker: Worker,
  test: SendTest,
): Pick<Pipeline, 'bulks' | 'operations'> {
  const { actions, archive } = ledger;
  const onDue = () => worker.look();
  const bulks = new BulkRunner({ clock, actions, onDue, onBulkEnded, onTrouble: onStoreTrouble });
  const onBulkChanged = () => bulks.nudge();
  return {
    bulks,
    operations: createOperations({ actions, archive, settings, onDue, onBulkChanged, onAction, test }),
  };
}

/** What outlives a swap goes on by the next settings. */
function adopt(
  next: AppSettings,
  previous: AppSettings,
  {
    capacity: { slots, shares, waitingShares },
    lanes,
    follower,
  }: Pick<Pipeline, 'lanes' | 'follower'> & { readonly capacity: Capacity },
): void {
  for (const each of [slots, shares, waitingShares]) each.resize(next.answer.maxInFlight);
  for (const channel of changedChannels(previous, next)) void lanes.forget(channel);
  void follower.reload();
}

function capacityFor({ settings, clock }: PipelineParts): Capacity {
  const most = settings.current.answer.maxInFlight;
  return {
    slots: new Slots(clock, most),
    shares: new Shares(most),
    waitingShares: new Shares(most),
  };
}

function seenDestinations({ clock, ledger, onStoreTrouble }: PipelineParts): SeenDestinations {
  return new SeenDestinations({ clock, store: ledger.destinations, onTrouble: onStoreTrouble });
}

function composeAttempt(parts: PipelineParts, seen: SeenDestinations): Attempt {
  return createAttempt({
    ...parts,
    timers: systemClock,
    earlierReceipts: (id, withinMs) => parts.ledger.turns.earlierReceipts(id, withinMs),
    onAttempt: (addressed, result) => {
      seen.attempted(addressed.destination, result);
      parts.onAttempt(addressed, result);
    },
  });
}

function composeWorker(
  { settings, ledger, clock, memory, onStoreTrouble, onStoreRecovered }: PipelineParts,
  shared: Omit<ConstructorParameters<typeof Worker>[0], 'largeNotices' | 'onTrouble' | 'onRecovered'>,
): Worker {
  const readLarge = (json: Uint8Array, deadline: number) => {
    const { current } = settings;
    const read = current.largeCallbacks.readAgain(json, deadline - clock.monotonic());
    settings.keepUntil(current, read);
    return read;
  };
  return new Worker({
    ...shared,
    largeNotices: new LargeNotices({ clock, ledger, budget: memory, readLarge }),
    onTrouble: onStoreTrouble,
    onRecovered: onStoreRecovered,
  });
}
