/** Makes a config into settings, with its channels opened. */
import { poolsThrough } from '../outbound/exchange.ts';
import { type HiddenSecrets, redactor } from '../text/hide-secrets.ts';
import type { Channel, ChannelType } from '../channels/channel.ts';
import { type Config, formatsOf, type Problem } from '../config/config.ts';
import type { Readings } from '../config/readings.ts';
import { createPlans } from '../deliver/plan.ts';
import { changedChannels, type OpenChannel, type Planning, type Settings } from '../deliver/settings.ts';
import { noticeOf } from '../notice/notice.ts';
import { answerHolds } from '../render/condition.ts';
import type { Renderer, TemplateFailure } from '../render/renderer.ts';
import { createRouter, destinationsOf } from '../route/router.ts';

export interface UsableConfig {
  readonly config: Config;
  /** Problems that do not keep the config from running. */
  readonly warnings: readonly Problem[];
  readonly readings: Readings;
  /** Hash of the config and its own templates: processes with equal configs have equal hashes. */
  readonly configHash: string;
  /** Has the config's templates, checked. */
  readonly renderer: Renderer;
}

/** The parts that no reload changes. */
export interface SettingsEnvironment {
  readonly channelTypes: ReadonlyMap<string, ChannelType>;
  readonly print: (text: string) => void;
  readonly onTemplateError: (failure: TemplateFailure) => void;
  /** The secrets of every config that has run. */
  readonly secrets: HiddenSecrets;
}

export type AppSettings = Settings & UsableConfig;

/**
 * @param previous its channels that have not changed are shared
 * @throws {Error} a channel cannot be opened; channels opened by this call are closed again
 */
export async function openSettings(
  loaded: UsableConfig,
  environment: SettingsEnvironment,
  previous?: AppSettings,
): Promise<AppSettings> {
  const { config, renderer } = loaded;
  const { channelTypes, secrets } = environment;
  // Errors from here on may repeat them.
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

/** The part of the settings that needs no open channel. */
export function decidedBy({ config, configHash }: Pick<UsableConfig, 'config' | 'configHash'>): Planning {
  const router = createRouter(config.routes, config.defaultRoute);
  return {
    config,
    configHash,
    router,
    planFor: createPlans(config, router),
    destinations: destinationsOf(config),
  };
}

/** Opens only channels that some destination uses, so that no other channel's client library is loaded. */
async function openChannels(
  config: Config,
  { channelTypes, print }: SettingsEnvironment,
  previous: AppSettings | undefined,
): Promise<Settings['channels']> {
  const used = new Set([...destinationsOf(config).values()].map(({ channel }) => channel));
  const changed = previous === undefined ? [] : changedChannels(previous, { config });
  const openPool = poolsThrough(config.proxies);
  const channels = new Map<string, OpenChannel>();
  const opened: Channel[] = [];
  try {
    for (const each of config.channels.values()) {
      const type = channelTypes.get(each.type);
      if (type === undefined || !used.has(each.name)) continue;
      let channel = changed.includes(each.name) ? undefined : previous?.channels.get(each.name)?.channel;
      if (channel === undefined) {
        channel = await type.open(each.settings, { print, openPool, holds: answerHolds });
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
