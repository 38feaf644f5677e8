/** The configs that come with the product: they load as they are, and say what they claim to say. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { channelTypes } from '../../src/channels/registry.ts';
import type { Config } from '../../src/config/config.ts';
import { problemLines } from '../../src/config/problems.ts';
import { rootSchema } from '../../src/config/schema/schema.ts';
import { YamlSource } from '../../src/config/yaml-source.ts';
import { isJsonObject } from '../../src/text/json.ts';
import { loadText } from './load-fixture.ts';

const variables = { SLACK_BOT_TOKEN: 'xoxb-token', SMTP_URL: 'smtps://user:pass@mail.example.com' };
const OWN = readFileSync('config/botbell.yaml', 'utf8');
const EXAMPLE = readFileSync('config/botbell.example.yaml', 'utf8');

/** None of its keys is a section: those of a route have to be shown, wherever they stand. */
const KEYS_OF_ROUTES =
  `bot_id on notify template_set when after_failures repeat mute overdue expect per_job burst
  digest`.split(/\s+/);

function load(text: string): Config {
  const { config, problems } = loadText(text, { variables, channelTypes, readFolders: () => ['en', 'ja'] });
  expect(problemLines(problems)).to.deep.equal([]);
  if (!config) throw new Error('no config, and no problem either');
  return config;
}

describe('The config of the repository', () => {
  it('becomes Slack by two lines: the channel that stands there as a comment, and the address', () => {
    const lines = OWN.split('\n');
    const outbox = lines.findIndex((line) => line.includes('type: outbox'));
    const slack = lines[outbox + 1]?.replace('# ', '') ?? '';
    const changed = lines.toSpliced(outbox, 2, slack).join('\n');
    const config = load(changed.replace(/(- slack: .)#bot-alerts/, '$1#ours'));
    const settings = { token: 'xoxb-token' };
    expect(config.channels.get('slack')).to.deep.include({ type: 'slack', settings });
    expect(config.defaultRoute?.notify.map(({ destination }) => destination)).to.deep.equal(['slack:#ours']);
  });
});

describe('The example config', () => {
  it('shows every key there is', () => {
    const { data } = new YamlSource('x.yaml', EXAMPLE);
    for (const [section, field] of Object.entries(rootSchema.describe().fields)) {
      expect(EXAMPLE, section).to.match(new RegExp(`^(# )?${section}:`, 'm'));
      const shown = isJsonObject(data) ? data[section] : undefined;
      if (!('fields' in field) || section === 'default_route') continue;
      expect(shown, section).to.have.all.keys(Object.keys(field.fields));
    }
    for (const key of KEYS_OF_ROUTES) expect(EXAMPLE).to.match(new RegExp(`\\b${key}:`));
  });

  it('loads, once its two variables are set, and says the defaults that it says it says', () => {
    const { routes, receiver, admin, store, ...shown } = load(EXAMPLE);
    expect(routes).to.have.length(3);
    const delivery = { ...shown.delivery, alerts: [] };
    expect(load(OWN)).to.deep.include({ receiver, admin, store, delivery });
  });
});
