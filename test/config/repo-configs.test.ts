/** The configs that come with the product: they load as they are, and say what they claim to say. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { mixed, object, string, type Schema } from 'yup';
import type { ChannelType } from '../../src/channels/channel.ts';
import type { Config } from '../../src/config/config.ts';
import { formatProblem } from '../../src/config/problems.ts';
import { configJsonSchema } from '../../src/config/json-schema.ts';
import { loadConfig } from '../../src/config/load.ts';
import { isJsonObject } from '../../src/text/json-object.ts';
import { rootSchema } from '../../src/config/schema.ts';
import { YamlSource } from '../../src/config/yaml-source.ts';
import { chatType, formatWith } from './fake-channels.ts';
import { isValid } from './json-schema-validator.ts';

const VARIABLES = { SLACK_BOT_TOKEN: 'xoxb-token', SMTP_URL: 'smtps://user:pass@mail.example.com' };
const OWN = 'config/botbell.yaml';
const EXAMPLE = 'config/botbell.example.yaml';

/** Channel types with the keys of the real ones, whose own tests say what their values may be. */
const types = new Map<string, ChannelType>([
  ['slack', typeOf('slack', { token: string().required(), api_url: string() })],
  ['email', typeOf('email', { smtp: string().required(), from: string().required() })],
  ['outbox', typeOf('outbox', { as: string().oneOf(['slack', 'email']).required() })],
]);

function typeOf(type: string, settings: Record<string, Schema>): ChannelType {
  return {
    ...chatType,
    type,
    settings: object(settings).noUnknown().strict(),
    formatOf: () => formatWith({ mention_on_error: mixed() }),
    parseAddress: (text) => text,
    secretsOf: () => [],
    warningsOf: () => [],
  };
}

function load(file: string, text = readFileSync(file, 'utf8')): Config {
  const { config, problems } = loadConfig(file, {
    variables: VARIABLES,
    channelTypes: types,
    builtInSets: ['en', 'ja'],
    readFile: () => text,
    readFolders: () => ['en', 'ja'],
  });
  expect(problems.map(formatProblem)).to.deep.equal([]);
  if (!config) throw new Error('no config, and no problem either');
  return config;
}

function dataOf(file: string): unknown {
  return new YamlSource(file, readFileSync(file, 'utf8')).data;
}

describe('The config of the repository', () => {
  it('shows something for the first callback on a fresh clone, without any token', () => {
    const config = load(OWN);
    expect(config.channels.get('slack')).to.deep.equal({
      name: 'slack',
      type: 'outbox',
      settings: { as: 'slack' },
      burst: undefined,
    });
    expect(config.defaultRoute?.on).to.include.members(['succeeded', 'error']);
    expect(config.defaultRoute?.notify.map(({ destination }) => destination)).to.deep.equal([
      'slack:#bot-alerts',
    ]);
    expect(config.secrets).to.deep.equal([]);
  });

  it('becomes Slack by two lines: the channel that stands there as a comment, and the address', () => {
    const lines = readFileSync(OWN, 'utf8').split('\n');
    const outbox = lines.findIndex((line) => line.includes('type: outbox'));
    const slack = lines[outbox + 1]?.replace('# ', '') ?? '';
    const changed = lines
      .toSpliced(outbox, 2, slack)
      .join('\n')
      .replace(/(- slack: .)#bot-alerts/, '$1#ours');
    const config = load(OWN, changed);
    expect(config.channels.get('slack')?.settings).to.deep.equal({ token: 'xoxb-token' });
    expect(config.defaultRoute?.notify.map(({ destination }) => destination)).to.deep.equal(['slack:#ours']);
  });
});

describe('The example config', () => {
  it('loads, once its two variables are set', () => {
    expect(load(EXAMPLE).routes).to.have.length(3);
  });

  it('shows every key there is', () => {
    const text = readFileSync(EXAMPLE, 'utf8');
    const data = dataOf(EXAMPLE);
    for (const [section, field] of Object.entries(rootSchema.describe().fields)) {
      expect(text, section).to.match(new RegExp(`^(# )?${section}:`, 'm'));
      const shown = isJsonObject(data) ? data[section] : undefined;
      if (!('fields' in field) || section === 'default_route') continue;
      expect(isJsonObject(shown) ? Object.keys(shown) : [], section).to.have.members(
        Object.keys(field.fields),
      );
    }
    const rules = [
      'when',
      'after_failures',
      'repeat',
      'mute',
      'overdue',
      'expect',
      'per_job',
      'burst',
      'digest',
    ];
    for (const key of ['bot_id', 'on', 'notify', 'template_set', ...rules])
      expect(text).to.match(new RegExp(`\\b${key}:`));
  });

  it('says the defaults that it says it says', () => {
    const { receiver, admin, store } = load(EXAMPLE);
    const { delivery } = load(EXAMPLE);
    const plain = load(OWN);
    expect({ receiver, admin, store }).to.deep.equal({
      receiver: plain.receiver,
      admin: plain.admin,
      store: plain.store,
    });
    expect({ ...delivery, alerts: [] }).to.deep.equal(plain.delivery);
  });
});

describe('Both configs', () => {
  for (const file of [OWN, EXAMPLE]) {
    it(`satisfy the JSON Schema: ${file}`, () => {
      expect(isValid(dataOf(file), configJsonSchema(types))).to.equal(true);
    });
  }
});
