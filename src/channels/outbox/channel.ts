/** The outbox channel: sends nothing, but prints each message and keeps it, for a setup that has no token yet. */
import { type Schema, string } from 'yup';
import { visibleAndIndented } from '../../text/clean.ts';
import { faultSaid } from '../../text/fault.ts';
import { type Channel, type ChannelEnvironment, type ChannelType, KEPT_MESSAGE } from '../channel.ts';
import type { MessageFormat } from '../channel.ts';
import { settingsOf } from '../settings.ts';

/** A channel type that an outbox stands in for: it has the same addresses, options and messages. */
type Posed = Pick<ChannelType, 'type' | 'formatOf' | 'parseAddress'>;

interface OutboxSettings {
  readonly as: string;
}

/** @param types the channel types that it can stand in for, without their settings */
export function outboxOf(types: readonly Posed[]): ChannelType<OutboxSettings> {
  const names = types.map(({ type }) => type);
  const posedBy = (settings?: OutboxSettings): Posed =>
    types.find(({ type }) => settings === undefined || type === settings.as) as Posed;
  return {
    type: 'outbox',
    pace: { addressMs: 1000, channelMs: 100 },
    perJob: ['thread', 'update'],
    settings: settingsFor(names),
    needsSettings: true,
    formatOf: (settings) => posedBy(settings).formatOf(),
    parseAddress: (text, settings) => posedBy(settings).parseAddress(text),
    secretsOf: () => [],
    warningsOf: () => [],
    open: (settings, environment) => Promise.resolve(openOutbox(posedBy(settings).formatOf(), environment)),
  };
}

function settingsFor(names: readonly string[]): Schema<OutboxSettings> {
  const or = (word: string) => names.join(word);
  return settingsOf({
    as: string()
      .oneOf([...names], () => faultSaid(`must be ${or(' or ')}`, `${or('、')} のどれかにしてください`))
      .required(() => faultSaid(`is missing: ${or(' or ')}`, `${or('、')} のどれかを書いてください`))
      .meta({ example: names[0] }),
  });
}

function openOutbox(format: MessageFormat, { print }: ChannelEnvironment): Channel {
  return {
    send: ({ address, message, asText }) => {
      print(`--- outbox (${format.name}): ${address}\n${visibleAndIndented(asText())}\n`);
      return Promise.resolve({ told: 'nobody', [KEPT_MESSAGE]: JSON.stringify(message) });
    },
    verify: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
