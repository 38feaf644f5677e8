/** One config made into the settings that everything decides by, with its channels opened. */
import { poolsThrough } from '../outbound/exchange.ts';
import { isDeepStrictEqual } from 'node:util';
import { cutEnd, shortLine } from '../text/cut.ts';
import type { HiddenSecrets } from '../text/hide-secrets.ts';
import type { Channel, ChannelType } from '../channels/channel.ts';
import { type ChannelConfig, type Config, formatsOf, type Problem } from '../config/config.ts';
import type { Readings } from '../config/readings.ts';
import {
  type OpenChannel,
  type PlannedTarget,
  type Planning,
  type RunningSettings,
  type Settings,
} from '../deliver/settings.ts';
import type { DatabaseLedger } from '../ledger/database-ledger.ts';
import { type LedgerOptions, openLedger } from '../ledger/open-ledger.ts';
import { ownerName } from '../ledger/operations/processes.ts';
import { noticeOf } from '../notice/notice.ts';
import type { Renderer, TemplateFailure } from '../render/renderer.ts';
import { createRouter, routesOf } from '../route/router.ts';
import type { Clock } from '../time/clock.ts';

const LONGEST_MESSAGE = 500;

/** One line without any secret, cut to what an operator will read. */
export function redactor(hide: (text: string) => string): (text: string) => string {
  // What cleaning takes away may have stood in the middle of a secret, and no cut may leave the half of one.
  return (text) => cutEnd(hide(shortLine(hide(text), 2 * LONGEST_MESSAGE)), LONGEST_MESSAGE, '…');
}

/** A checked config with what goes with it. */
export interface LoadedConfig {
  readonly config: Config;
  /** What works and cannot be meant. */
  readonly warnings: readonly Problem[];
  /** What all of it was read from. */
  readonly readings: Readings;
  /** Of this config: the same for processes that run with the same. */
  readonly configHash: string;
  /** Of this config, its templates checked. */
  readonly renderer: Renderer;
}

/** What no config changes. */
export interface SettingsEnvironment {
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
  readonly clock: Clock;
  /** Where the outbox prints. */
  readonly print: (text: string) => void;
  readonly onTemplateError: (failure: TemplateFailure) => void;
  /** Of every config that ran. */
  readonly secrets: HiddenSecrets;
}

export type AppSettings = Settings & LoadedConfig;

/**
 * @param previous what is as it was is not opened again, but shared
 * @throws {Error} a channel that cannot be opened; nothing that was opened for these stays open
 */
export async function openSettings(
  loaded: LoadedConfig,
  environment: SettingsEnvironment,
  previous?: AppSettings,
): Promise<AppSettings> {
  const { config, renderer } = loaded;
  const { channelTypes, secrets } = environment;
  // What goes wrong from here on may repeat them.
  secrets.add(config.secrets);
  const channels = await openChannels(config, environment, previous);
  const formats = formatsOf(config, channelTypes);
  return {
    ...loaded,
    ...decidedBy(loaded),
    channels,
    compose: ({ notice, channel, destination, templateSet, options }) => {
      const format = formats.get(channel);
      if (format === undefined) throw new Error(`the config has no channel "${channel}"`);
      return renderer.render(
        notice,
        { format, destination, templateSet, options },
        environment.onTemplateError,
      );
    },
    meets: (condition, checked) =>
      renderer.holds(condition, noticeOf(checked, 1), environment.onTemplateError),
    redact: redactor(secrets.hide),
  };
}

/** What the config decides without anything that is open. */
export function decidedBy({ config, configHash }: Pick<LoadedConfig, 'config' | 'configHash'>): Planning {
  const router = createRouter(config.routes, config.defaultRoute);
  return { config, configHash, router, destinations: targetsOf(config) };
}

export function targetsOf(config: Config): ReadonlyMap<string, PlannedTarget> {
  const routed = routesOf(config).flatMap(({ notify, templateSet }) =>
    notify.map((told): PlannedTarget => ({ ...told, templateSet })),
  );
  const others = [...config.delivery.alerts, ...config.digests.flatMap(({ notify }) => notify)];
  const targets = new Map<string, PlannedTarget>();
  for (const target of [...routed, ...others])
    if (!targets.has(target.destination)) targets.set(target.destination, target);
  return targets;
}

/**
 * Those that somebody is told by are open: the others are not worth their client library.
 * @throws {Error} a channel that cannot be opened; nothing that was opened stays open
 */
async function openChannels(
  config: Config,
  { channelTypes, print }: SettingsEnvironment,
  previous: AppSettings | undefined,
): Promise<Settings['channels']> {
  const used = new Set([...targetsOf(config).values()].map(({ channel }) => channel));
  const openPool = poolsThrough(config.proxies);
  const channels = new Map<string, OpenChannel>();
  const opened: Channel[] = [];
  try {
    for (const each of config.channels.values()) {
      const type = channelTypes.get(each.type);
      if (type === undefined || !used.has(each.name)) continue;
      let channel = sameChannel(each, config, previous);
      if (channel === undefined) {
        channel = await type.open(each.settings, { print, openPool });
        opened.push(channel);
      }
      channels.set(each.name, { channel, pace: type.pace });
    }
  } catch (error) {
    await Promise.allSettled(opened.map((channel) => channel.close()));
    throw error;
  }
  return channels;
}

/** One that is as it was, and reaches its remotes as it did, is not opened again, but shared. */
function sameChannel(next: ChannelConfig, { proxies }: Config, previous?: AppSettings): Channel | undefined {
  const before = [previous?.config.channels.get(next.name), previous?.config.proxies];
  const isSame = isDeepStrictEqual([next, proxies], before);
  return isSame ? previous?.channels.get(next.name)?.channel : undefined;
}

/**
 * The ledger asks for the settings in force each time that it needs them.
 * @throws {Error} a store that cannot be opened, or was written by a newer version
 */
export function openStore(
  settings: RunningSettings<AppSettings>,
  reports: Pick<LedgerOptions, 'clock' | 'isInProcess' | 'onStoreEvent'>,
): Promise<DatabaseLedger> {
  const { url, maxSizeBytes: maxBytes } = settings.current.config.store;
  return openLedger(url, {
    ...reports,
    owner: ownerName(reports.clock.now()),
    maxBytes,
    get leaseMs() {
      return settings.leaseMs;
    },
    get takeOverAfterMs() {
      return settings.current.config.delivery.takeOverAfterMs;
    },
  });
}
