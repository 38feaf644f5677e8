/** Puts routing, rendering, channels and ledger together into the pipeline that one config describes. */
import { hash } from 'node:crypto';
import type { Callback } from './callback/callback.ts';
import { identityOf } from './callback/identity.ts';
import { parseStartTime } from './callback/start-time.ts';
import type { Channel, ChannelType } from './channels/channel.ts';
import type { MessageFormat } from './channels/format.ts';
import type { Config, Destination, RouteConfig } from './config/config.ts';
import { type Alarm, createAlarm } from './deliver/alarm.ts';
import { Bridge } from './deliver/bridge.ts';
import { type Courier, createCourier } from './deliver/courier.ts';
import { KeyedQueue } from './deliver/keyed-queue.ts';
import { type AttemptResult, createMessenger, type Errand } from './deliver/messenger.ts';
import type { Plan, PlannedErrand } from './deliver/plan.ts';
import { redactor } from './deliver/redact.ts';
import { RemotePauses } from './deliver/remote-pauses.ts';
import { deadLetter } from './deliver/trouble.ts';
import { Worker } from './deliver/worker.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Renderer, TemplateFailure } from './render/renderer.ts';
import { createRouter, type RoutedDestination, type Router } from './route/router.ts';
import { type Clock, systemClock } from './time/clock.ts';

/** Longer than any attempt that outlives its answer, so that a claim never ends before its attempt. */
const LEASE_MARGIN_MS = 5000;

export interface PipelineParts {
  readonly config: Config;
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly renderer: Renderer;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly onAttempt: (errand: Errand, result: AttemptResult) => void;
  /** What an attempt came to that had been cut off at its time limit. */
  readonly onLateResult: (errand: Errand, result: AttemptResult) => void;
  /** A report threw. */
  readonly onUnforeseen: (error: unknown) => void;
  readonly onTemplateError: (failure: TemplateFailure) => void;
  readonly onUnwritten: (error: unknown) => void;
  readonly onStoreTrouble: (error: unknown) => void;
  readonly onStoreRecovered: () => void;
}

export interface Pipeline {
  readonly bridge: Bridge;
  readonly worker: Worker;
  readonly alarm: Alarm;
}

export function composePipeline(parts: PipelineParts): Pipeline {
  const router = createRouter(parts.config.routes, parts.config.defaultRoute);
  const pauses = new RemotePauses(parts.clock);
  const take = composeCourier(parts, pauses);
  const onDue = () => worker.nudge();
  const alarm = composeAlarm(parts, onDue);
  const worker = composeWorker(parts, { router, pauses, take, alarm });
  return { bridge: composeBridge(parts, { router, take, alarm, onDue }), worker, alarm };
}

interface SharedParts {
  readonly router: Router;
  readonly take: Courier;
  readonly alarm: Alarm;
}

function composeBridge(
  { config, ledger, clock, onUnwritten }: PipelineParts,
  { router, take, alarm, onDue }: SharedParts & { readonly onDue: () => void },
): Bridge {
  const { receiver, delivery, display } = config;
  return new Bridge({
    clock,
    ledger,
    queue: new KeyedQueue(),
    take,
    answerWithinMs: receiver.answerWithinMs,
    answerWhen: receiver.answerWhen,
    policy: delivery,
    random: Math.random,
    plan: (callback) => planFor(router, callback),
    startedAt: (callback) => parseStartTime(callback.start_time, display.timezone) ?? clock.now(),
    onDue,
    onGivenUp: (callback, given) => alarm(deadLetter(callback, given, display.language)),
    onUnwritten,
  });
}

function composeWorker(
  { config, ledger, clock, onStoreTrouble, onStoreRecovered }: PipelineParts,
  { router, take, alarm, pauses }: SharedParts & { readonly pauses: RemotePauses },
): Worker {
  const { receiver, delivery, display } = config;
  return new Worker({
    clock,
    ledger,
    pauses,
    take,
    tripMs: receiver.answerWithinMs,
    policy: delivery,
    random: Math.random,
    plan: ({ kind, callback }) => (kind === 'alert' ? alertPlan(config) : planFor(router, callback)),
    onGivenUp: ({ kind, callback }, given) => {
      // An alert that cannot be told is not worth an alert.
      if (kind === 'callback') alarm(deadLetter(callback, given, display.language));
    },
    onTrouble: onStoreTrouble,
    onRecovered: onStoreRecovered,
  });
}

function composeAlarm({ config, ledger, clock, onUnwritten }: PipelineParts, onRaised: () => void): Alarm {
  const targets = alertPlan(config).errands;
  return createAlarm({ clock, ledger, targets, onRaised, onUnwritten });
}

function composeCourier(parts: PipelineParts, pauses: RemotePauses): Courier {
  const { config, channelTypes, channels, renderer, clock, onTemplateError } = parts;
  const formats = formatsOf(config, channelTypes);
  const send = createMessenger({
    clock,
    timeoutMs: config.delivery.timeoutMs,
    timers: systemClock,
    channelOf: (name) => channels.get(name),
    compose: ({ callback, channel, templateSet, options, timesReceived }) =>
      renderer.render(
        callback,
        { format: formats.get(channel)?.name ?? '', templateSet, options },
        timesReceived,
        onTemplateError,
      ),
    keyOf: ({ callback, destination }) => hash('sha256', `${identityOf(callback)}\n${destination}`, 'hex'),
    redact: redactor(config.secrets),
    onAttempt: parts.onAttempt,
    onLateResult: parts.onLateResult,
    onUnforeseen: parts.onUnforeseen,
  });
  const { attemptsPerRequest } = config.delivery;
  return createCourier({ clock, pauses, send, attemptsPerRequest, random: Math.random });
}

export function planFor(router: Router, callback: Callback): Plan {
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

/** The routes of a config, the default one last. */
export function routesOf({ routes, defaultRoute }: Config): readonly RouteConfig[] {
  return defaultRoute === undefined ? routes : [...routes, defaultRoute];
}

/** Everybody whom this config may have told, each once. */
export function destinationsOf(config: Config): readonly Destination[] {
  const all = [...routesOf(config).flatMap(({ notify }) => notify), ...config.delivery.alerts];
  return [...new Map(all.map((destination) => [destination.key, destination])).values()];
}

/** How long a claim must outlast: the answer, and an attempt begun just before it was due. */
export function leaseMsOf({ receiver, delivery }: Config): number {
  return receiver.answerWithinMs + delivery.timeoutMs + LEASE_MARGIN_MS;
}
