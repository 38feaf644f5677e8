/** The outbox channel: tells nobody; prints each message and keeps it, so that one can look before one has a token. */
import { object, string } from 'yup';
import type { InferType } from 'yup';
import type { Channel, ChannelEnvironment, ChannelType, Outgoing, Receipt } from './channel.ts';
import { emailFormat } from './email-format.ts';
import type { MessageFormat } from './format.ts';
import { parseMailAddress } from './mail-address.ts';
import { parseSlackAddress } from './slack-address.ts';
import { slackFormat } from './slack-format.ts';
import { visibleAndIndented } from '../text/visible.ts';
import { mentionSchema } from './slack-mentions.ts';

interface Guise {
  readonly format: MessageFormat;
  readonly parseAddress: (text: string) => string;
}

/** What an outbox can stand in for. */
const GUISES = {
  slack: { format: slackFormat, parseAddress: parseSlackAddress },
  email: { format: emailFormat, parseAddress: parseMailAddress },
} as const satisfies Record<string, Guise>;

const outboxSettings = object({
  as: string<keyof typeof GUISES>()
    .typeError('${path} must be a string')
    .oneOf(['slack', 'email'], '${path} must be slack or email')
    .required('${path} is missing: slack or email'),
})
  .noUnknown()
  .strict();

export type OutboxSettings = InferType<typeof outboxSettings>;

export const outboxChannel: ChannelType<OutboxSettings> = {
  type: 'outbox',
  pace: { addressMs: 1000, channelMs: 100 },
  settings: outboxSettings,
  options: { mention_on_error: mentionSchema() },
  formatOf: (settings) => GUISES[settings.as].format,
  parseAddress: (text, settings) => GUISES[settings.as].parseAddress(text),
  secretsOf: () => [],
  warningsOf: () => [],
  open: (settings, environment) => Promise.resolve(openOutbox(GUISES[settings.as].format, environment)),
};

function openOutbox(format: MessageFormat, { print }: ChannelEnvironment): Channel {
  const keep = ({ address, message }: Outgoing): Receipt => {
    print(`--- outbox (${format.name}): ${address}\n${visibleAndIndented(format.asText(message))}\n`);
    return { message: JSON.stringify(message) };
  };
  return {
    send: async (outgoing) => Promise.resolve(keep(outgoing)),
    verify: async () => Promise.resolve(),
    close: async () => Promise.resolve(),
  };
}
