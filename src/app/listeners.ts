/** The two listeners, which go on listening while the settings behind them are swapped. */
import { createAdmin } from '../admin/admin.ts';
import { createApi } from '../admin/api/api.ts';
import { WrongPasswords } from '../admin/password.ts';
import { createPages } from '../admin/page/page-router.tsx';
import { createCallbackCheck } from '../callback/check-callback.ts';
import { senderReader } from '../http/sender.ts';
import { type Handler, listen, type ListeningServer } from '../http/server.ts';
import { createReceiver } from '../receive/receiver.ts';
import { adminServices, type Services } from './admin-services.ts';
import type { AppSettings } from './settings.ts';

export async function openAdmin(running: Services): Promise<ListeningServer | undefined> {
  const { settings, clock, reports } = running;
  const { admin } = settings.current.config;
  if (admin === undefined) return undefined;
  const services = adminServices(running);
  const fixed = {
    services,
    wrongPasswords: new WrongPasswords(clock),
    api: createApi(services),
    page: createPages(services),
    onTurnedAway: reports.onAdminTurnedAway,
  };
  let handle = createAdmin({ ...fixed, config: admin }).callback();
  settings.onSwap(({ config }) => {
    if (config.admin !== undefined) handle = createAdmin({ ...fixed, config: config.admin }).callback();
  });
  return listen((request, response) => handle(request, response), admin.listen);
}

export function openReceiver(services: Services): Promise<ListeningServer> {
  const { settings, loads, reports } = services;
  const { receiver } = settings.current.config;
  let handle = receiverOf(settings.current, services);
  settings.onSwap((next) => {
    loads.resize(next.config.receiver);
    handle = receiverOf(next, services);
  });
  return listen((request, response) => handle(request, response), receiver.listen, reports.onTurnedAway);
}

/** What takes the POSTs that come while these settings are in force. */
function receiverOf({ config }: AppSettings, services: Services): Handler {
  const { pipeline, clock, loads, reports } = services;
  return createReceiver({
    config: config.receiver,
    clock,
    senderOf: senderReader(config.receiver.trustProxy),
    check: createCallbackCheck(config.display.timezone, config.receiver.maxNodes),
    post: pipeline.post,
    refuse: (refusal) => pipeline.refuse(refusal),
    loads,
    report: reports.onCallback,
    reportTurnedAway: reports.onTurnedAway,
    onUnforeseen: reports.onUnforeseen,
  }).callback();
}
