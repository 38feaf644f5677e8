/** Puts routing, rendering, channels and ledger together into the pipeline that one config describes. */
import { hash } from 'node:crypto';
import type { Callback } from '../callback/callback.ts';
import type { Channel, ChannelType } from '../channels/channel.ts';
import type { Config, Destination, RouteConfig } from '../config/config.ts';
import { formatsOf } from '../config/message-formats.ts';
import { type AlertSettings, refusalAlert } from '../deliver/alerts.ts';
import { Bridge } from '../deliver/bridge.ts';
import { ConfigFollower } from '../deliver/config-follower.ts';
import { type Courier, createCourier } from '../deliver/courier.ts';
import { DeliveriesUnderWay } from '../deliver/deliveries-under-way.ts';
import { Lanes } from '../deliver/lanes.ts';
import { LargeNotices } from '../deliver/large-notices.ts';
import type { MemoryBudget } from '../deliver/memory-budget.ts';
import { type AttemptResult, createMessenger, type Errand } from '../deliver/messenger.ts';
import type { Milestone } from '../deliver/milestones.ts';
import { type Plan, type PlannedErrand, plannedFor } from '../deliver/plan.ts';
import { redactor } from '../deliver/redact.ts';
import { Rerouter, type Revival, type RoutedAnew } from '../deliver/rerouter.ts';
import { Shares } from '../deliver/shares.ts';
import { Slots } from '../deliver/slots.ts';
import { TurnsOfJobs } from '../deliver/turns-of-jobs.ts';
import { Worker } from '../deliver/worker.ts';
import type { OpenLedger, RoutedRow } from '../ledger/configs/config-store.ts';
import type { RefusedBody } from '../ledger/ledger.ts';
import { isAlert, noticeId } from '../notice/notice.ts';
import { createComposer } from '../offload/composer.ts';
import type { LargeCallbacks } from '../offload/large-callbacks.ts';
import type { Renderer, TemplateFailure } from '../render/renderer.ts';
import { createRouter, type RoutedDestination, type Router } from '../route/router.ts';
import { type Clock, systemClock } from '../time/clock.ts';

/**
 * Longer than any attempt that outlives its answer, its message included (`offload/composer.ts`), so that a claim never
 * ends before its attempt.
 */
const LEASE_MARGIN_MS = 5000;

export interface PipelineParts {
  readonly config: Config;
  /** Of the config: the same for processes that run with the same. */
  readonly configHash: string;
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly renderer: Renderer;
  readonly largeCallbacks: LargeCallbacks;
  readonly ledger: OpenLedger;
  readonly clock: Clock;
  /** For all callbacks that this process has in memory. */
  readonly memory: MemoryBudget;
  readonly onAttempt: (errand: Errand, result: AttemptResult) => void;
  /** What an attempt came to that had been cut off at its time limit. */
  readonly onLateResult: (errand: Errand, result: AttemptResult) => void;
  /** A report threw. */
  readonly onUnforeseen: (error: unknown) => void;
  readonly onTemplateError: (failure: TemplateFailure) => void;
  readonly onMilestone: (milestone: Milestone) => void;
  /** A delivery has ended that the config no longer sends there. */
  readonly onReroute: (routed: RoutedAnew) => void;
  /** A route that came back names it again. */
  readonly onRevival: (revival: Revival) => void;
  readonly onUnwritten: (error: unknown) => void;
  readonly onStoreTrouble: (error: unknown) => void;
  readonly onStoreRecovered: () => void;
}

export interface Pipeline {
  readonly bridge: Bridge;
  readonly worker: Worker;
  readonly lanes: Lanes;
  readonly underWay: DeliveriesUnderWay;
  readonly follower: ConfigFollower;
  /** Keeps a refused body, and has the operators alerted of it. @throws {LedgerUnavailable} */
  readonly refuse: (refused: RefusedBody, withinMs: number) => Promise<void>;
}

export function composePipeline(parts: PipelineParts): Pipeline {
  const router = createRouter(parts.config.routes, parts.config.defaultRoute);
  const lanes = composeLanes(parts);
  const underWay = new DeliveriesUnderWay();
  const take = composeCourier(parts, lanes);
  const onDue = (destinations: readonly string[]) => worker.nudge(destinations);
  const alerts = alertSettings(parts.config);
  const onRevival = (revival: Revival) => {
    parts.onRevival(revival);
    onDue([revival.destination]);
  };
  const follower = composeFollower({ ...parts, onRevival }, { router, onDue });
  const rerouter = composeRerouter({ ...parts, onRevival }, { alerts, follower });
  const shared = { router, take, alerts, lanes, underWay, rerouter };
  const worker = composeWorker(parts, shared);
  const bridge = composeBridge(parts, { ...shared, onDue });
  const refuse = async (refused: RefusedBody, withinMs: number) => {
    await parts.ledger.refuse(refused, refusalAlert(refused, alerts), withinMs);
    onDue(alerts.targets.map(({ destination }) => destination));
  };
  return { bridge, worker, lanes, underWay, follower, refuse };
}

interface SharedParts {
  readonly router: Router;
  readonly take: Courier;
  readonly alerts: AlertSettings;
  readonly lanes: Lanes;
  readonly underWay: DeliveriesUnderWay;
  readonly rerouter: Rerouter;
}

function composeFollower(
  { config, configHash, ledger, clock, onRevival, onStoreTrouble }: PipelineParts,
  {
    router,
    onDue,
  }: Pick<SharedParts, 'router'> & { readonly onDue: (destinations: readonly string[]) => void },
): ConfigFollower {
  const types = [...config.channels.values()].map(({ name, type }) => [name, type] as const);
  return new ConfigFollower({
    clock,
    ledger: ledger.configs,
    config: { hash: configHash, channels: new Map(types) },
    giveUpAfterMs: config.delivery.giveUpAfterMs,
    isRouted: (row) => plannedFor(row, planForRow(config, router, row)) !== undefined,
    onDue,
    onRevival,
    onTrouble: onStoreTrouble,
  });
}

function planForRow(config: Config, router: Router, { kind, botId, status }: RoutedRow): Plan {
  return kind === 'alert' ? alertPlan(config) : planFor(router, { bot_id: botId, status });
}

function composeRerouter(
  { config, ledger, onReroute, onRevival }: PipelineParts,
  { alerts, follower }: Pick<SharedParts, 'alerts'> & { readonly follower: ConfigFollower },
): Rerouter {
  const named = new Set(destinationsOf(config).map(({ key }) => key));
  return new Rerouter({
    ledger: ledger.configs,
    giveUpAfterMs: config.delivery.giveUpAfterMs,
    alerts,
    names: (destination) => named.has(destination),
    mayRouteAnew: () => follower.mayRouteAnew,
    onReroute,
    onRevival,
  });
}

function composeLanes({ config, channelTypes, ledger, clock, onStoreTrouble }: PipelineParts): Lanes {
  const typeOf = (channel: string) => channelTypes.get(config.channels.get(channel)?.type ?? '');
  return new Lanes({
    clock,
    store: ledger.paces,
    paceOf: (channel) => typeOf(channel)?.pace ?? { addressMs: 0, channelMs: 0 },
    onTrouble: onStoreTrouble,
  });
}

function composeBridge(
  { config, ledger, clock, onMilestone, onUnwritten }: PipelineParts,
  {
    router,
    take,
    alerts,
    underWay,
    rerouter,
    onDue,
  }: SharedParts & { readonly onDue: (destinations: readonly string[]) => void },
): Bridge {
  const { receiver, delivery } = config;
  return new Bridge({
    clock,
    ledger,
    underWay,
    turns: new TurnsOfJobs({ clock, ledger, underWay }),
    capacity: {
      slots: new Slots({ clock, most: receiver.maxInFlight }),
      shares: new Shares(receiver.maxInFlight),
      waitingShares: new Shares(receiver.maxInFlight),
    },
    take,
    rerouter,
    answerWithinMs: receiver.answerWithinMs,
    answerWhen: receiver.answerWhen,
    policy: delivery,
    alerts,
    random: Math.random,
    plan: (callback) => planFor(router, callback),
    onDue,
    onMilestone,
    onUnwritten,
  });
}

function composeWorker(
  {
    config,
    ledger,
    clock,
    memory,
    largeCallbacks,
    onMilestone,
    onStoreTrouble,
    onStoreRecovered,
  }: PipelineParts,
  { router, take, alerts, lanes, underWay, rerouter }: SharedParts,
): Worker {
  const { receiver, delivery } = config;
  const readLarge = (json: Uint8Array, deadline: number) =>
    largeCallbacks.readAgain(json, deadline - clock.monotonic());
  return new Worker({
    clock,
    ledger,
    lanes,
    underWay,
    largeNotices: new LargeNotices({ clock, ledger, budget: memory, readLarge }),
    take,
    rerouter,
    tripMs: receiver.answerWithinMs,
    policy: delivery,
    alerts,
    random: Math.random,
    plan: ({ notice }) => (isAlert(notice) ? alertPlan(config) : planFor(router, notice.callback)),
    onMilestone,
    onTrouble: onStoreTrouble,
    onRecovered: onStoreRecovered,
  });
}

function alertSettings(config: Config): AlertSettings {
  const { delivery, display } = config;
  return {
    targets: alertPlan(config).errands,
    language: display.language,
    giveUpAfterMs: delivery.giveUpAfterMs,
  };
}

function composeCourier(parts: PipelineParts, lanes: Lanes): Courier {
  const { config, channelTypes, channels, renderer, largeCallbacks, clock, onTemplateError } = parts;
  const formats = formatsOf(config, channelTypes);
  const composeNotice = createComposer({ renderer, largeCallbacks, onFailure: onTemplateError });
  const send = createMessenger({
    clock,
    timeoutMs: config.delivery.timeoutMs,
    timers: systemClock,
    channelOf: (name) => channels.get(name),
    compose: ({ notice, channel, templateSet, options }) =>
      composeNotice(notice, { format: formats.get(channel)?.name ?? '', templateSet, options }),
    keyOf: ({ notice, destination }) => hash('sha256', `${noticeId(notice)}\n${destination}`, 'hex'),
    redact: redactor(config.secrets),
    onAttempt: parts.onAttempt,
    onLateResult: parts.onLateResult,
    onUnforeseen: parts.onUnforeseen,
  });
  const { attemptsPerRequest } = config.delivery;
  return createCourier({ clock, lanes, send, attemptsPerRequest, random: Math.random });
}

export function planFor(router: Router, callback: Pick<Callback, 'bot_id' | 'status'>): Plan {
  const { destinations, explanations } = router.route(callback);
  return { errands: destinations.map(asErrand), routing: explanations };
}

function alertPlan({ delivery }: Config): Plan {
  const errands = delivery.alerts.map((destination) => asErrand({ destination, templateSet: undefined }));
  return { errands, routing: [] };
}

function asErrand({ destination, templateSet }: Omit<RoutedDestination, 'route'>): PlannedErrand {
  const { key, channel, address, options }: Destination = destination;
  return { destination: key, channel, address, options, templateSet };
}

/** The routes of a config, the default one last. */
export function routesOf({ routes, defaultRoute }: Config): readonly RouteConfig[] {
  return defaultRoute === undefined ? routes : [...routes, defaultRoute];
}

/** Everybody whom this config may have told, each once. */
export function destinationsOf(config: Config): readonly Destination[] {
  const all = [...routesOf(config).flatMap(({ notify }) => notify), ...config.delivery.alerts];
  return [...new Map(all.map((destination) => [destination.key, destination])).values()];
}

/** By their names. */
export function channelsInUse(config: Config): ReadonlySet<string> {
  return new Set(destinationsOf(config).map(({ channel }) => channel));
}

/** How long a claim must outlast: the answer, and an attempt begun just before it was due. */
export function leaseMsOf({ receiver, delivery }: Config): number {
  return receiver.answerWithinMs + delivery.timeoutMs + LEASE_MARGIN_MS;
}
