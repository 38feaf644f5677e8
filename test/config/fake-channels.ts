/** Channel types for config tests: small, strict, and given to quoting what they refuse. */
import { number, object, type Schema, string, type InferType } from 'yup';
import { AddressError, type ChannelType, type MessageFormat } from '../../src/channels/channel.ts';
import { mentionsOf } from '../../src/channels/mention-option.ts';

const chatSettings = object({
  token: string()
    .required()
    .matches(
      /^\S+$/,
      ({ path, value }: { path: string; value: unknown }) => `${path} is no token: ${String(value)}`,
    ),
  level: string().oneOf(['quiet', 'normal']).meta({ doc: 'How much it says.' }),
  limit: number().integer().min(1).default(10),
})
  .noUnknown()
  .strict();

/** A format of which a config needs the options alone. */
export function formatWith(options: Readonly<Record<string, Schema>>): MessageFormat {
  return { name: 'chat', options, compose: unused };
}

export const chatType: ChannelType<InferType<typeof chatSettings>> = {
  type: 'chat',
  pace: { addressMs: 1000, channelMs: 100 },
  perJob: ['thread'],
  settings: chatSettings,
  formatOf: () =>
    formatWith({
      mention: string()
        .strict()
        .matches(/^@/, ({ value }: { value: unknown }) => `"${String(value)}" does not begin with @`)
        .meta({ doc: 'Whom to mention.' }),
      retries: number().strict().integer(),
      mention_on_error: mentionsOf('@ and a name', /^@/).option,
    }),
  parseAddress: (text) => {
    if (!/^#./.test(text)) throw new AddressError(`"${text}" does not begin with #`);
    return text.toLowerCase();
  },
  secretsOf: ({ token }) => [token],
  warningsOf: ({ level }) => (level === 'quiet' ? [{ key: 'level', message: 'nobody will hear it' }] : []),
  open: unused,
};

export const fakeChannels: ReadonlyMap<string, ChannelType> = new Map<string, ChannelType>([
  ['chat', chatType],
]);

function unused(): never {
  throw new Error('config never formats or opens anything');
}
