/** A key that has another name now: it goes on working, and the check says so. */
import { expect } from 'chai';
import { object, type InferType } from 'yup';
import type { ChannelType } from '../../src/channels/channel.ts';
import { configJsonSchema } from '../../src/config/json-schema.ts';
import { formatProblem } from '../../src/config/problems.ts';
import { section, text, texts } from '../../src/config/schema-fields.ts';
import { chatType } from './fake-channels.ts';
import { loadText } from './load-fixture.ts';

const upper = (value: string) => (/^[A-Z]+$/.test(value) ? undefined : `"${value}" is not in capitals`);

/** Three keys that were called otherwise: one that is required, one that holds others, and one of these. */
const settings = object({
  token: text(upper, 'Its token.', { formerly: 'key', example: 'A' }).required(),
  limits: section('Its limits.', {
    words: texts(upper, 'Words.', { example: 'A' }).meta({ formerly: 'list' }),
  }).meta({ formerly: 'bounds' }),
}).strict();

const type: ChannelType<InferType<typeof settings>> = {
  ...(chatType as ChannelType<never>),
  settings,
  secretsOf: ({ token }) => [token],
  warningsOf: ({ token }) => (token === 'LOUD' ? [{ key: 'token', message: 'everybody will hear it' }] : []),
};
const channelTypes = new Map<string, ChannelType>([['chat', type]]);

function load(channel: string, withoutSecrets = false) {
  const text = `channels:\n  chat:\n    type: chat\n${channel}default_route: { notify: [{ chat: "#a" }] }\n`;
  const given = { channelTypes, withoutSecrets, variables: { WORD: 'hidden-word' } };
  const { config, problems } = loadText(text, given);
  return { settings: config?.channels.get('chat')?.settings, problems: problems.map(formatProblem) };
}

describe('A deprecated key', () => {
  it('goes on working, and is a warning with its place and the new key', () => {
    const { settings: read, problems } = load('    key: A\n    bounds: { list: [B] }\n');
    expect(read).to.deep.equal({ token: 'A', limits: { words: ['B'] } });
    expect(problems).to.deep.equal([
      'botbell.yaml:4:5: warning: channels.chat.key is deprecated: it is called channels.chat.token now',
      'botbell.yaml:5:5: warning: channels.chat.bounds is deprecated: it is called channels.chat.limits now',
      'botbell.yaml:5:15: warning: channels.chat.bounds.list is deprecated: it is called channels.chat.limits.words now',
    ]);
  });

  it('has what is wrong with its value reported where it stands, and no secret of it shown', () => {
    expect(load('    key: LOUD\n    limits: { list: [B, "${WORD}"] }\n').problems).to.deep.equal([
      'botbell.yaml:4:5: warning: channels.chat.key is deprecated: it is called channels.chat.token now',
      'botbell.yaml:5:15: warning: channels.chat.limits.list is deprecated: it is called channels.chat.limits.words now',
      'botbell.yaml:5:25: channels.chat.limits.list[1] "[hidden]" is not in capitals',
    ]);
    expect(load('    key: LOUD\n').problems).to.include(
      'botbell.yaml:4:5: warning: channels.chat.key: everybody will hear it',
    );
  });

  it('may refer to a variable that is set elsewhere', () => {
    const { settings: read, problems } = load('    key: "${UNSET}"\n', true);
    expect(read).to.deep.include({ token: 'A' });
    expect(problems).to.have.lengthOf(1);
    expect(load('    key: "${UNSET}"\n').problems.join()).to.include('UNSET');
  });

  it('is an error beside the new one, and none is meant by a name that is like it', () => {
    expect(load('    key: A\n    token: B\n').problems).to.deep.equal([
      'botbell.yaml:4:5: channels.chat.key is deprecated, and token stands beside it: remove one of them',
    ]);
    expect(load('    keys: A\n').problems.join()).to.match(/token is missing.*keys: unknown key/);
  });

  it('is known to editors as deprecated', () => {
    const { $defs } = configJsonSchema(channelTypes) as {
      $defs: { channel: { oneOf: readonly [{ properties: object; required: readonly string[] }] } };
    };
    const [{ properties, required }] = $defs.channel.oneOf;
    expect(properties).to.have.property('key').that.includes({ description: 'Its token.', deprecated: true });
    expect(required).to.deep.equal(['type']);
  });
});
