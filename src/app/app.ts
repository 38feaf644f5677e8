/** The composition root: a checked config in, a service that starts and stops out. */
import { getHeapStatistics } from 'node:v8';
import { createCallbackCheck } from '../callback/check-callback.ts';
import type { Channel, ChannelType } from '../channels/channel.ts';
import { closeAll, openChannels } from '../channels/open-channels.ts';
import { createAdmin } from '../admin/admin.ts';
import { channelsInUse, composePipeline, type Pipeline } from './compose-pipeline.ts';
import type { AdminConfig, Config } from '../config/config.ts';
import { MemoryBudget, memoryFor } from '../deliver/memory-budget.ts';
import type { Milestone } from '../deliver/milestones.ts';
import { timeBudgetOf } from '../deliver/time-budget.ts';
import { senderReader } from '../http/remote-address.ts';
import { listen, type ListeningServer, type MalformedRequest } from '../http/server.ts';
import type { OpenLedger } from '../ledger/configs/config-store.ts';
import { startRetention } from '../ledger/retention/retention.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import { openStore } from './open-store.ts';
import { BodyMemory } from '../receive/body-memory.ts';
import { createCallbackReader } from '../receive/read-callback.ts';
import { ReadingBudget, readingLimits } from '../receive/reading-budget.ts';
import { createReceiver } from '../receive/receiver.ts';
import type { Refusal } from '../receive/refusal.ts';
import { Traffic } from '../receive/traffic.ts';
import { LargeCallbacks } from '../offload/large-callbacks.ts';
import type { Renderer } from '../render/renderer.ts';
import {
  createRefusalLog,
  type RefusalLog,
  reportAttempt,
  reportCallback,
  reportError,
  reportLateResult,
  reportMilestone,
  reportRerouting,
  reportRevival,
  reportTrouble,
  reportTurnedAway,
  reportUnforeseen,
  reportUnwritten,
} from './reports.ts';
import type { Clock } from '../time/clock.ts';
import { unfailing } from '../time/unfailing.ts';
import { within } from '../time/within.ts';

/**
 * Once nothing is waited for any more: for what was cut to be written down, and for each listener, the channels and the
 * store to close. Together less than a second (contract, "Stopping").
 */
const GOODBYE_MS = 150;

export interface AppOptions {
  readonly config: Config;
  /** Of this config: the same for processes that run with the same. */
  readonly configHash: string;
  /** Of this config, its templates checked. */
  readonly renderer: Renderer;
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly version: string;
  /** Where the outbox prints. */
  readonly print: (text: string) => void;
}

export interface RunningApp {
  readonly receiver: ListeningServer;
  readonly admin: ListeningServer | undefined;
  /** Answers 503 to what comes, finishes what is in flight, closes everything. */
  stop(): Promise<void>;
}

type CleanUp = () => Promise<void>;

/** @throws {Error} whatever keeps the service from starting, with everything that was opened closed again */
export async function startApp(options: AppOptions): Promise<RunningApp> {
  const cleanUps: CleanUp[] = [];
  const stop = async () => {
    for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
  };
  try {
    return { ...(await start(options, cleanUps)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(options: AppOptions, cleanUps: CleanUp[]): Promise<Omit<RunningApp, 'stop'>> {
  const { config, clock, logger } = options;
  const { ledger, metrics } = await openStore(options);
  cleanUps.push(() => within(GOODBYE_MS, ledger.close(), clock));
  const channels = await openChannels(config.channels, { ...options, used: channelsInUse(config) });
  cleanUps.push(() => within(GOODBYE_MS, closeAll(channels), clock));
  const onUnforeseen = reportUnforeseen(logger);
  const memory = openMemory(options);
  const largeCallbacks = openLargeCallbacks(options);
  cleanUps.push(() => within(GOODBYE_MS, largeCallbacks.close(), clock));
  const pipeline = openPipeline(options, {
    channels,
    ledger,
    metrics,
    memory,
    largeCallbacks,
    onUnforeseen,
  });
  metrics.pausesCountedBy(() => pipeline.lanes.pausedCount);
  const retention = startRetention(ledger, config.store.keepMs, clock, reportTrouble(logger));
  cleanUps.push(() => retention.stop());
  const traffic = new Traffic();
  await pipeline.lanes.refresh();
  await pipeline.follower.start();
  cleanUps.push(() => within(GOODBYE_MS, pipeline.follower.stop(), clock));
  pipeline.worker.start();
  let draining: Promise<void> | undefined;
  const drained = () => (draining ??= drain({ pipeline, traffic }, options));
  cleanUps.push(drained);
  const services: Services = {
    pipeline,
    ledger,
    metrics,
    largeCallbacks,
    traffic,
    memory,
    onUnforeseen,
  };
  const admin = await openAdmin(config.admin, services);
  if (admin !== undefined) cleanUps.push(() => admin.close(GOODBYE_MS));
  const refusals = createRefusalLog(logger, clock);
  const receiver = await openReceiver(options, services, refusals);
  cleanUps.push(async () => {
    await drained();
    await receiver.close(GOODBYE_MS);
    refusals.close();
  });
  return { receiver, admin };
}

/**
 * Nothing new begins, who only waits is taken over, and what is being attempted is finished, or cut at the end of
 * `answer_within`.
 */
async function drain(
  { pipeline, traffic }: Pick<Services, 'pipeline' | 'traffic'>,
  { config, clock }: AppOptions,
): Promise<void> {
  const { bridge, worker, lanes, underWay } = pipeline;
  lanes.stop();
  underWay.stop();
  const drained = Promise.all([traffic.drain(), worker.stop(), bridge.drained()]);
  await within(config.receiver.answerWithinMs, drained, clock);
  underWay.cut();
  await within(GOODBYE_MS, drained, clock);
}

interface Services {
  readonly pipeline: Pipeline;
  readonly ledger: OpenLedger;
  readonly metrics: Metrics;
  readonly largeCallbacks: LargeCallbacks;
  readonly traffic: Traffic;
  readonly memory: MemoryBudget;
  readonly onUnforeseen: (error: unknown) => void;
}

function openLargeCallbacks({ config, renderer, clock, logger }: AppOptions): LargeCallbacks {
  return new LargeCallbacks(
    { templates: renderer.sources, channels: config.channels },
    clock,
    reportError(logger, 'the thread of large callbacks ended'),
  );
}

/** Whoever runs it in a heap that is too small for what its config lets in learns that at the start. */
function openMemory({ config, clock, logger }: AppOptions): MemoryBudget {
  const heapBytes = getHeapStatistics().heap_size_limit;
  const budget = new MemoryBudget({ clock, most: memoryFor(heapBytes) });
  const { maxBodyBytes, maxNodes } = config.receiver;
  const { bytes, values } = budget.largest;
  if (maxBodyBytes > bytes || maxNodes > values) {
    const line = { heap_bytes: heapBytes, max_body_bytes: bytes, max_nodes: values };
    logger.warn(
      line,
      'the heap is too small for receiver.max_body or max_nodes: larger callbacks are answered 413',
    );
  }
  return budget;
}

function openPipeline(
  { config, configHash, renderer, channelTypes, clock, logger }: AppOptions,
  parts: Pick<Services, 'ledger' | 'metrics' | 'memory' | 'largeCallbacks' | 'onUnforeseen'> & {
    readonly channels: ReadonlyMap<string, Channel>;
  },
): Pipeline {
  const sayMilestone = unfailing(
    (milestone: Milestone) => reportMilestone(logger, clock, milestone),
    parts.onUnforeseen,
  );
  return composePipeline({
    config,
    configHash,
    renderer,
    channelTypes,
    clock,
    ...parts,
    onAttempt: (errand, result) => reportAttempt(logger, parts.metrics, errand, result),
    onLateResult: (errand, result) => reportLateResult(logger, errand, result),
    onUnforeseen: parts.onUnforeseen,
    onTemplateError: unfailing((failure) => {
      parts.metrics.templateFailed();
      logger.error(failure, 'a template failed; the built-in one was used');
    }, parts.onUnforeseen),
    onMilestone: (milestone) => setImmediate(sayMilestone, milestone),
    onReroute: unfailing((rerouting) => reportRerouting(logger, rerouting), parts.onUnforeseen),
    onRevival: unfailing((revival) => reportRevival(logger, revival), parts.onUnforeseen),
    onUnwritten: reportUnwritten(logger),
    onStoreTrouble: reportTrouble(logger),
    onStoreRecovered: unfailing(() => logger.info('the store can be used again'), parts.onUnforeseen),
  });
}

async function openAdmin(
  config: AdminConfig | undefined,
  { ledger, metrics, traffic, onUnforeseen }: Services,
): Promise<ListeningServer | undefined> {
  if (config === undefined) return undefined;
  const readiness = async () => {
    const store = await ledger.probe().then(
      () => true,
      () => false,
    );
    const room = store && (await ledger.hasRoom().catch(() => false));
    return { store, room, config: true, accepting: !traffic.isDraining };
  };
  return listen(createAdmin({ config, metrics, readiness, onUnforeseen }).callback(), config.listen);
}

function openReceiver(
  options: AppOptions,
  services: Services,
  refusals: RefusalLog,
): Promise<ListeningServer> {
  const { config, clock, logger } = options;
  const { pipeline, metrics, largeCallbacks, traffic, memory, onUnforeseen } = services;
  const senderOf = senderReader(config.receiver.trustProxy);
  const receiver = createReceiver({
    config: config.receiver,
    clock,
    senderOf,
    readings: new ReadingBudget({ clock, ...readingLimits(config.receiver) }),
    readCallback: createCallbackReader({
      clock,
      check: createCallbackCheck(config.display.timezone),
      readLarge: (bytes, withinMs) => largeCallbacks.read(bytes, withinMs),
    }),
    handle: (incoming) => pipeline.bridge.handle(incoming),
    refuse: (refusal) => keepRefused(options, services, refusal),
    traffic,
    memory: new BodyMemory(memory, { bytes: config.receiver.maxBodyBytes, values: config.receiver.maxNodes }),
    report: (report) => reportCallback(logger, metrics, refusals, report),
    reportTurnedAway: (report) => reportTurnedAway(metrics, refusals, report),
    onUnforeseen,
  });
  const onMalformed = unfailing(
    ({ detail, ...request }: MalformedRequest) =>
      reportTurnedAway(metrics, refusals, { ...request, problem: detail }),
    onUnforeseen,
  );
  return listen(receiver.callback(), config.receiver.listen, {
    senderOf: (request) => senderOf(request).address,
    onMalformed,
  });
}

async function keepRefused(
  { config, clock, logger }: AppOptions,
  { pipeline }: Services,
  { bytes, arrivedAt, ...refusal }: Refusal,
): Promise<void> {
  try {
    // As a stream, it leaves out a last character that is cut in two.
    const body = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
    const { writeUntil } = timeBudgetOf(arrivedAt, config.receiver.answerWithinMs);
    await pipeline.refuse({ ...refusal, body }, writeUntil - clock.monotonic());
  } catch (error) {
    reportError(logger, 'a refused body could not be kept')(error);
  }
}
