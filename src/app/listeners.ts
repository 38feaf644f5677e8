/** The two listeners, which go on listening while the settings behind them are swapped. */
import { type AdminTurnedAway, createAdmin, createAdminMemory } from '../admin/admin.ts';
import { createApi } from '../admin/api/api.ts';
import { createPages } from '../admin/page/page-router.tsx';
import { createCallbackCheck } from '../callback/check-callback.ts';
import type { AdminConfig, ReceiverConfig } from '../config/config.ts';
import { timeBudgetOf } from '../deliver/handling.ts';
import { senderReader } from '../http/sender.ts';
import { listen, type ListeningServer, type MalformedRequest } from '../http/server.ts';
import { BodyMemory, createCallbackReader } from '../receive/read-callback.ts';
import { ReadingBudget, readingLimits } from '../receive/reading-budget.ts';
import { createReceiver } from '../receive/receiver.ts';
import type { Refusal } from '../receive/problems.ts';
import { unfailing } from '../time/clock.ts';
import { adminServices } from './admin-services.ts';
import {
  type RefusalLog,
  reportAdminTurnedAway,
  reportCallback,
  reportError,
  reportTurnedAway,
} from './reports.ts';
import type { Services } from './services.ts';
import type { AppSettings } from './settings.ts';

export async function openAdmin(
  running: Services,
  refusals: RefusalLog,
): Promise<ListeningServer | undefined> {
  const { settings, clock, onUnforeseen } = running;
  const { admin } = settings.current.loaded.config;
  if (admin === undefined) return undefined;
  const services = adminServices(running);
  const fixed = {
    services,
    memory: createAdminMemory(clock),
    api: createApi(services),
    ...createPages(services),
    onTurnedAway: unfailing(
      (report: AdminTurnedAway) => reportAdminTurnedAway(refusals, report),
      onUnforeseen,
    ),
  };
  const handlerFor = (config: AdminConfig, { maxBodyBytes }: ReceiverConfig) =>
    createAdmin({ ...fixed, config, maxPasteBytes: maxBodyBytes }).callback();
  let handle = handlerFor(admin, settings.current.loaded.config.receiver);
  settings.onSwap(({ loaded: { config } }) => {
    if (config.admin !== undefined) handle = handlerFor(config.admin, config.receiver);
  });
  const server = await listen((request, response) => handle(request, response), admin.listen);
  const close = (withinMs: number) => {
    services.streams.close();
    return server.close(withinMs);
  };
  return { ...server, close };
}

export function openReceiver(services: Services, refusals: RefusalLog): Promise<ListeningServer> {
  const { settings, clock, metrics, onUnforeseen } = services;
  const { receiver } = settings.current.loaded.config;
  const readings = new ReadingBudget({ clock, ...readingLimits(receiver) });
  const entryFor = (current: AppSettings) => receiverEntry(current, services, { readings, refusals });
  let entry = entryFor(settings.current);
  settings.onSwap((next) => {
    readings.resize(readingLimits(next.loaded.config.receiver));
    entry = entryFor(next);
  });
  const onMalformed = unfailing(
    ({ detail, ...request }: MalformedRequest) =>
      reportTurnedAway(metrics, refusals, { ...request, problem: detail }),
    onUnforeseen,
  );
  return listen((request, response) => entry.handle(request, response), receiver.listen, {
    senderOf: (request) => entry.senderOf(request).address,
    onMalformed,
  });
}

/** What takes the POSTs that come while these settings are in force. */
function receiverEntry(
  { loaded: { config } }: AppSettings,
  services: Services,
  { readings, refusals }: { readonly readings: ReadingBudget; readonly refusals: RefusalLog },
) {
  const { pipeline, settings, clock, logger, metrics, traffic, memory, onUnforeseen } = services;
  const senderOf = senderReader(config.receiver.trustProxy);
  const { maxBodyBytes, maxNodes } = config.receiver;
  const receiver = createReceiver({
    config: config.receiver,
    clock,
    senderOf,
    readings,
    readCallback: createCallbackReader({
      clock,
      check: createCallbackCheck(config.display.timezone),
      readLarge: (bytes, withinMs) => {
        const { current } = settings;
        const read = current.largeCallbacks.read(bytes, withinMs);
        settings.keepUntil(current, read);
        return read;
      },
    }),
    handle: (incoming) => pipeline.bridge.handle(incoming),
    refuse: refusedKeeper(services),
    traffic,
    memory: new BodyMemory(memory, { bytes: maxBodyBytes, values: maxNodes }),
    report: (report) => reportCallback(logger, metrics, refusals, report),
    reportTurnedAway: (report) => reportTurnedAway(metrics, refusals, report),
    onUnforeseen,
  });
  return { handle: receiver.callback(), senderOf };
}

function refusedKeeper({ pipeline, settings, clock, logger, metrics }: Services) {
  const report = reportError(logger, 'a refused body could not be kept');
  return async ({ bytes, arrivedAt, ...refusal }: Refusal): Promise<void> => {
    metrics.bodyRefused();
    try {
      // As a stream, it leaves out a last character that is cut in two.
      const body = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
      const { writeUntil } = timeBudgetOf(arrivedAt, settings.current.answer.answerWithinMs);
      await pipeline.refuse({ ...refusal, body }, writeUntil - clock.monotonic());
    } catch (error) {
      report(error);
    }
  };
}
