/** The JSON Schema says what the loader says, as far as a schema can. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { channelTypes } from '../../src/channels/registry.ts';
import { configJsonSchema, type JsonSchema } from '../../src/config/json-schema.ts';
import { isJsonObject } from '../../src/text/json-object.ts';
import { rootSchema } from '../../src/config/schema.ts';
import { YamlSource } from '../../src/config/yaml-source.ts';
import { runCommand } from '../support/command.ts';
import { fakeChannels } from './fake-channels.ts';
import { loadFixture, loadText } from './load-fixture.ts';

const FIXTURES = 'test/fixtures/configs';
const BASE = 'channels: { chat: { type: chat, token: x } }\ndefault_route: { notify: [{ chat: "#a" }] }\n';

/** Faults that no schema can see: they are of YAML, of the environment or of how parts go together. */
const BEYOND_A_SCHEMA = [
  /^(two|duplicate|same|unknown-(group|template))/,
  /^(admin-open|receiver-open|alias|missing-(variable|secret|templates)|unquoted-hash$|empty-values)/,
  /^bad-(addresses|durations|sizes|proxy|heartbeat|cidrs|hosts|links|listen|options|paths|regexes|store|tokens|trusted|values|channel-settings|timezone)/,
  /^(path|port|sqlite|nothing-to-route|too-l|unknown-channel$|doubtful|short)/,
];

const schema = configJsonSchema(fakeChannels);

/** A keyword that no vocabulary has is refused. */
const ajv = new Ajv2020({ strict: true, strictRequired: false });
const isValid = ajv.compile(schema);

function dataOf(text: string): unknown {
  return new YamlSource('x.yaml', text).data;
}

function propertiesOf(value: unknown): JsonSchema {
  const properties = isJsonObject(value) ? value['properties'] : undefined;
  if (!isJsonObject(properties)) throw new Error('no properties');
  return properties;
}

describe('The JSON Schema of the config', () => {
  it('has the keys of the loader, section by section', () => {
    const properties = propertiesOf(schema);
    expect(Object.keys(properties)).to.have.members(Object.keys(rootSchema.fields));
    for (const [name, field] of Object.entries(rootSchema.describe().fields)) {
      if (!('fields' in field)) continue;
      expect(Object.keys(propertiesOf(properties[name])), name).to.deep.equal(Object.keys(field.fields));
    }
  });

  it('describes every key', () => {
    const bare: string[] = [];
    const visit = (value: unknown, path: string) => {
      for (const [key, item] of Object.entries(
        isJsonObject(value) && value['properties'] ? propertiesOf(value) : {},
      )) {
        if (!isJsonObject(item) || typeof item['description'] !== 'string') bare.push(`${path}${key}`);
        visit(item, `${path}${key}.`);
      }
    };
    visit(schema, '');
    expect(bare).to.deep.equal([]);
  });

  it('accepts what the loader accepts', () => {
    const texts = ['', 'receiver: { max_in_flight: "${N:-3}", token: [a, b] }', 'admin: { listen: off }'];
    for (const text of texts) {
      const config = `${text}\n${BASE}`;
      expect(loadText(config).config, text).not.to.equal(undefined);
      expect(isValid(dataOf(config)), text).to.equal(true);
    }
  });

  for (const file of readdirSync(FIXTURES).filter((each) => each.endsWith('.yaml'))) {
    const { data, problems } = new YamlSource(file, readFileSync(`${FIXTURES}/${file}`, 'utf8'));
    // What is no YAML, no schema sees.
    if (problems.length > 0 || BEYOND_A_SCHEMA.some((pattern) => pattern.test(file.slice(0, -5)))) continue;
    it(`refuses ${file}, as the loader does`, () => {
      expect(loadFixture(`${FIXTURES}/${file}`).config).to.equal(undefined);
      expect(isValid(data)).to.equal(false);
    });
  }
});

const PUBLISHED = 'config/botbell.schema.json';

describe('The JSON Schema in the package', () => {
  it('is what `botbell schema` prints: botbell schema > config/botbell.schema.json', async () => {
    const { stdout } = await runCommand(['schema']);
    expect(readFileSync(PUBLISHED, 'utf8')).to.equal(`${stdout}\n`);
  });

  it('can be asked for by name', () => {
    const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      exports: Readonly<Record<string, string>>;
    };
    expect(exports['./schema.json']).to.equal(`./${PUBLISHED}`);
  });

  const isPublished = ajv.compile(configJsonSchema(channelTypes));
  const names = ['botbell', 'botbell.example', 'botbell.demo', 'starter/en/botbell', 'starter/ja/botbell'];
  for (const name of names) {
    it(`is named at the head of config/${name}.yaml, which is valid by it`, () => {
      const path = join('config', `${name}.yaml`);
      const text = readFileSync(path, 'utf8');
      const named = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1] ?? '';
      expect(relative('.', join(dirname(path), named))).to.equal(PUBLISHED);
      const source = new YamlSource(path, text);
      expect(isPublished(source.data)).to.equal(true);
    });
  }
});
