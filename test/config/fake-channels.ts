/** The channel types of config tests: the real ones, and a chat of few settings that is given to quoting what it refuses. */
import { number, object, string, type InferType } from 'yup';
import { AddressError, type ChannelType } from '../../src/channels/channel.ts';
import { mentionsOf } from '../../src/channels/mention-option.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import { judged } from '../../src/config/schema/form.ts';
import { section, texts } from '../../src/config/schema/fields.ts';
import { faultSaid } from '../../src/text/fault.ts';

const upper = judged((text) =>
  /^[A-Z]+$/.test(text) ? undefined : faultSaid(`"${text}" is not in capitals`),
);

/** Each of its three kinds of deprecated key: one that is required, one that holds others, and one of these. */
const chatSettings = object({
  token: string()
    .required()
    .matches(
      /^\S+$/,
      ({ path, value }: { path: string; value: unknown }) => `${path} is no token: ${String(value)}`,
    )
    .meta({ doc: 'Its token.', formerly: 'key', example: 'A' }),
  level: string().oneOf(['quiet', 'normal']).meta({ doc: 'How much it says.', formerly: 'volume' }),
  limit: number().integer().min(1).default(10),
  limits: section('Its limits.', {
    words: texts(upper, 'Words.').meta({ formerly: 'list' }),
  })
    .default(undefined)
    .meta({ formerly: 'bounds' }),
})
  .noUnknown()
  .strict();

const chat: ChannelType<InferType<typeof chatSettings>> = {
  type: 'chat',
  pace: { addressMs: 1000, channelMs: 100 },
  perJob: ['thread'],
  settings: chatSettings,
  formatOf: () => ({
    name: 'chat',
    options: {
      mention: string()
        .strict()
        .matches(/^@/, ({ value }: { value: unknown }) => `"${String(value)}" does not begin with @`)
        .meta({ doc: 'Whom to mention.' }),
      retries: number().strict().integer(),
      mention_on_error: mentionsOf(['@ and a name', '「@名前」'], /^@/).option,
    },
    compose: unused,
  }),
  parseAddress: (text) => {
    if (!/^#./.test(text)) throw new AddressError(faultSaid(`"${text}" does not begin with #`));
    return text.toLowerCase();
  },
  secretsOf: ({ token }) => [token],
  warningsOf: ({ level }) =>
    level === 'quiet' ? [{ key: 'level', fault: faultSaid('nobody will hear it') }] : [],
  open: unused,
};

export const typesWithFake: ReadonlyMap<string, ChannelType> = new Map<string, ChannelType>([
  ['chat', chat],
  ...channelTypes,
]);

function unused(): never {
  throw new Error('config never formats or opens anything');
}
