/** The composition root: a checked config in, a service that starts and stops out. */
import { createCallbackCheck } from './callback/check-callback.ts';
import type { Channel, ChannelType } from './channels/channel.ts';
import { createAdmin } from './admin/admin.ts';
import { composePipeline, destinationsOf, leaseMsOf, type Pipeline } from './compose-pipeline.ts';
import type { AdminConfig, Config } from './config/config.ts';
import { timeBudgetOf } from './deliver/time-budget.ts';
import { refusedBody } from './deliver/trouble.ts';
import { listen, type ListeningServer } from './http/server.ts';
import type { Ledger } from './ledger/ledger.ts';
import { openLedger } from './ledger/open-ledger.ts';
import { ownerName } from './ledger/owner.ts';
import { startRetention } from './ledger/retention.ts';
import type { Logger } from './observe/logger.ts';
import { createMetrics, type Metrics } from './observe/metrics.ts';
import { createReceiver, type Refusal } from './receive/receiver.ts';
import { Traffic } from './receive/traffic.ts';
import type { Renderer } from './render/renderer.ts';
import { reportAttempt, reportCallback } from './reports.ts';
import type { Clock } from './time/clock.ts';

/** After the last callback is answered, open connections get this long to say goodbye. */
const GOODBYE_MS = 500;

export interface AppOptions {
  readonly config: Config;
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
  const { config, clock, logger, version } = options;
  const ledger = await openStore(options);
  cleanUps.push(() => ledger.close());
  const metrics = createMetrics({ version, countOpen: () => ledger.countOpen().catch(() => undefined) });
  const channels = await openChannels(options);
  cleanUps.push(() => closeAll(channels));
  const pipeline = openPipeline(options, { channels, ledger, metrics });
  cleanUps.push(() => pipeline.bridge.drained());
  const retention = startRetention(ledger, config.store.keepMs, clock, reportTrouble(logger));
  cleanUps.push(() => retention.stop());
  pipeline.worker.start();
  cleanUps.push(() => pipeline.worker.stop());
  const traffic = new Traffic(config.receiver.maxInFlight);
  const services: Services = { pipeline, ledger, metrics, traffic, onUnforeseen: reportUnforeseen(logger) };
  const admin = await openAdmin(config.admin, services);
  if (admin !== undefined) cleanUps.push(() => admin.close(GOODBYE_MS));
  const receiver = await openReceiver(options, services);
  cleanUps.push(async () => {
    await within(config.receiver.answerWithinMs + GOODBYE_MS, traffic.drain(), clock);
    await receiver.close(GOODBYE_MS);
  });
  return { receiver, admin };
}

interface Services {
  readonly pipeline: Pipeline;
  readonly ledger: Ledger;
  readonly metrics: Metrics;
  readonly traffic: Traffic;
  readonly onUnforeseen: (error: unknown) => void;
}

function openStore({ config, clock, logger }: AppOptions): Promise<Ledger> {
  return openLedger(config.store.url, {
    clock,
    owner: ownerName(clock.now()),
    leaseMs: leaseMsOf(config),
    takeOverAfterMs: config.delivery.takeOverAfterMs,
    onTrouble: reportTrouble(logger),
  });
}

/** Those that somebody is told by; the others are not worth their client library. */
async function openChannels({ config, channelTypes, print }: AppOptions): Promise<Map<string, Channel>> {
  const used = new Set(destinationsOf(config).map(({ channel }) => channel));
  const channels = new Map<string, Channel>();
  for (const { name, type, settings } of config.channels.values()) {
    const channel = used.has(name) ? await channelTypes.get(type)?.open(settings, { print }) : undefined;
    if (channel !== undefined) channels.set(name, channel);
  }
  return channels;
}

async function closeAll(channels: ReadonlyMap<string, Channel>): Promise<void> {
  await Promise.all([...channels.values()].map((channel) => channel.close()));
}

function openPipeline(
  { config, renderer, channelTypes, clock, logger }: AppOptions,
  parts: Pick<Services, 'ledger' | 'metrics'> & { readonly channels: ReadonlyMap<string, Channel> },
): Pipeline {
  return composePipeline({
    config,
    renderer,
    channelTypes,
    clock,
    ...parts,
    onAttempt: (errand, result) => reportAttempt(logger, parts.metrics, errand, result),
    onTemplateError: (failure) => {
      parts.metrics.templateFailed();
      logger.error(failure, 'a template failed; the built-in one was used');
    },
    onUnwritten: (error) => logger.error({ err: error }, 'what was told could not be written down'),
    onStoreTrouble: reportTrouble(logger),
    onStoreRecovered: () => logger.info('the store can be used again'),
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
    return { store, config: true, accepting: !traffic.isDraining };
  };
  return listen(createAdmin({ config, metrics, readiness, onUnforeseen }).callback(), config.listen);
}

function openReceiver(options: AppOptions, services: Services): Promise<ListeningServer> {
  const { config, clock, logger } = options;
  const { pipeline, metrics, traffic, onUnforeseen } = services;
  const receiver = createReceiver({
    config: config.receiver,
    clock,
    check: createCallbackCheck(config.display.timezone),
    handle: (incoming) => pipeline.bridge.handle(incoming),
    refuse: (refusal) => keepRefused(options, services, refusal),
    traffic,
    report: (report) => reportCallback(logger, metrics, report),
    onUnforeseen,
  });
  return listen(receiver.callback(), config.receiver.listen);
}

async function keepRefused(
  { config, clock, logger }: AppOptions,
  { ledger, pipeline }: Services,
  { bytes, ...refusal }: Refusal,
): Promise<void> {
  try {
    const body = Buffer.from(bytes).toString('utf8');
    const { writeUntil } = timeBudgetOf(refusal.receivedAt, config.receiver.answerWithinMs);
    await ledger.refuse({ ...refusal, body }, writeUntil - clock.now());
    pipeline.alarm(refusedBody(refusal, config.display.language));
  } catch (error) {
    logger.error({ err: error }, 'a refused body could not be kept');
  }
}

function reportTrouble(logger: Logger): (error: unknown) => void {
  return (error) => logger.error({ err: error }, 'the store cannot be used');
}

function reportUnforeseen(logger: Logger): (error: unknown) => void {
  return (error) => logger.error({ err: error }, 'unforeseen error');
}

/** Waits for the promise, but no longer than `ms`. */
async function within(ms: number, promise: Promise<void>, clock: Clock): Promise<void> {
  const timer = new AbortController();
  await Promise.race([promise, clock.sleep(ms, timer.signal).catch(() => undefined)]);
  timer.abort();
}
