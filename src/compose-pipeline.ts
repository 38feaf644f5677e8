/** Puts routing, rendering, channels and ledger together into the bridge that one config describes. */
import { createHash } from 'node:crypto';
import type { Callback } from './callback/callback.ts';
import { parseStartTime } from './callback/start-time.ts';
import type { Channel, ChannelType } from './channels/channel.ts';
import type { MessageFormat } from './channels/format.ts';
import type { Config } from './config/config.ts';
import { Bridge, type Plan } from './deliver/bridge.ts';
import { type Courier, createCourier } from './deliver/courier.ts';
import { KeyedQueue } from './deliver/keyed-queue.ts';
import { type AttemptResult, createMessenger, type Errand } from './deliver/messenger.ts';
import { redactor } from './deliver/redact.ts';
import { RemotePauses } from './deliver/remote-pauses.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Renderer } from './render/renderer.ts';
import { createRouter, type Router } from './route/router.ts';
import type { Clock } from './time/clock.ts';

/** Longer than any attempt that outlives its answer, so that a claim never ends before its attempt. */
const LEASE_MARGIN_MS = 5000;

export interface BridgeParts {
  readonly config: Config;
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly renderer: Renderer;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly onAttempt: (errand: Errand, result: AttemptResult) => void;
  readonly onUnwritten: (error: unknown) => void;
}

export function composeBridge(parts: BridgeParts): Bridge {
  const { config, ledger, clock, onUnwritten } = parts;
  const router = createRouter(config.routes, config.defaultRoute);
  return new Bridge({
    clock,
    ledger,
    queue: new KeyedQueue(),
    take: composeCourier(parts),
    answerWithinMs: config.receiver.answerWithinMs,
    policy: config.delivery,
    plan: (callback) => planFor(router, callback),
    startedAt: (callback) => parseStartTime(callback.start_time, config.display.timezone) ?? clock.now(),
    onUnwritten,
  });
}

function composeCourier({
  config,
  channelTypes,
  channels,
  renderer,
  clock,
  onAttempt,
}: BridgeParts): Courier {
  const formats = formatNames(config, channelTypes);
  const send = createMessenger({
    clock,
    timeoutMs: config.delivery.timeoutMs,
    channelOf: (name) => channels.get(name),
    compose: ({ callback, channel, templateSet, options, timesReceived }) =>
      renderer.render(callback, { format: formats.get(channel) ?? '', templateSet, options }, timesReceived),
    keyOf: ({ identity, destination }) =>
      createHash('sha256').update(`${identity}\n${destination}`).digest('hex'),
    redact: redactor(config.secrets),
    onAttempt,
  });
  const pauses = new RemotePauses(clock);
  const { attemptsPerRequest } = config.delivery;
  return createCourier({ clock, pauses, send, attemptsPerRequest, random: Math.random });
}

export function planFor(router: Router, callback: Callback): Plan {
  const { destinations, explanations } = router.route(callback);
  const errands = destinations.map(({ destination: { key, channel, address, options }, templateSet }) => ({
    destination: key,
    channel,
    address,
    options,
    templateSet,
  }));
  return { errands, routing: explanations };
}

/** The message format of each channel, by the channel's name. */
export function formatNames(
  config: Config,
  channelTypes: ReadonlyMap<string, ChannelType>,
): ReadonlyMap<string, string> {
  return new Map([...formatsOf(config, channelTypes)].map(([channel, format]) => [channel, format.name]));
}

export function formatsOf(
  config: Config,
  channelTypes: ReadonlyMap<string, ChannelType>,
): ReadonlyMap<string, MessageFormat> {
  const formats = new Map<string, MessageFormat>();
  for (const { name, type, settings } of config.channels.values()) {
    const format = channelTypes.get(type)?.formatOf(settings);
    if (format !== undefined) formats.set(name, format);
  }
  return formats;
}

/** How long a claim must outlast: the answer, and an attempt begun just before it was due. */
export function leaseMsOf({ receiver, delivery }: Config): number {
  return receiver.answerWithinMs + delivery.timeoutMs + LEASE_MARGIN_MS;
}
