import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { channelTypes } from '../../src/channels/registry.ts';
import { configJsonSchema, type JsonSchema } from '../../src/config/schema/json-schema.ts';
import { isJsonObject } from '../../src/text/json.ts';
import { YamlSource } from '../../src/config/yaml-source.ts';
import { runCommand } from '../support/command.ts';
import { expectText } from '../support/expected-messages.ts';
import { typesWithFake } from './fake-channels.ts';
import { fixtures } from './load-fixture.ts';

/** Faulty configs that it does not refuse: no schema sees faults of YAML, of what a text refers to, of bounds, or of how parts go together. */
const NOT_SEEN = `
  bad-headers bad-heartbeat bad-store-option-values bad-store-options bad-store-port duplicate-destination listeners-open-to-everybody missing-secret-file
  missing-templates-folder
  missing-variable nothing-to-route options-of-another-channel password-that-ends-in-the-options too-long-a-timer two-channels-in-one-entry unknown-channel
  unknown-group-where-there-is-none unknown-group webhook-url-in-place-of-an-address webhook-url-in-place-of-its-name`;

/** A keyword that no vocabulary has is refused. */
const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });

function propertiesOf(value: unknown): JsonSchema {
  const properties = isJsonObject(value) ? value['properties'] : undefined;
  return isJsonObject(properties) ? properties : {};
}

describe('The JSON Schema of the config', () => {
  const schema = configJsonSchema(typesWithFake);
  const isValid = ajv.compile(schema);

  it('accepts what the loader accepts, and refuses, as far as a schema can, what it refuses', () => {
    const notSeen = fixtures().filter(({ file, text, isRefused }) => {
      const { data, problems } = new YamlSource(file, text);
      const isSeen = problems.length > 0 || !isValid(data);
      if (!isRefused) expect(isSeen, file).to.equal(false);
      return isRefused && !isSeen;
    });
    expect(notSeen.map(({ name }) => name)).to.deep.equal(NOT_SEEN.trim().split(/\s+/));
  });

  it('describes every key', () => {
    const bare: string[] = [];
    const visit = (value: unknown, path: string) => {
      for (const [key, item] of Object.entries(propertiesOf(value))) {
        if (!isJsonObject(item) || typeof item['description'] !== 'string') bare.push(`${path}${key}`);
        visit(item, `${path}${key}.`);
      }
    };
    visit(schema, '');
    expect(bare).to.deep.equal([]);
  });

  it('has deprecated keys marked, and asks for none of those that may stand under another name', () => {
    const { $defs } = schema as {
      $defs: { channel: { oneOf: readonly [{ properties: object; required: readonly string[] }] } };
    };
    const [{ properties, required }] = $defs.channel.oneOf;
    expect(properties).to.have.property('key').that.includes({ description: 'Its token.', deprecated: true });
    expect(required).to.deep.equal(['type']);
  });
});

const PUBLISHED = 'config/botbell.schema.json';

describe('The JSON Schema in the package', () => {
  it('is what `botbell schema` prints, and can be asked for by name', async () => {
    const { stdout } = await runCommand(['schema']);
    const published = fileURLToPath(import.meta.resolve('botbell/schema.json'));
    expect(relative('.', published)).to.equal(PUBLISHED);
    expectText(published, `${stdout}\n`);
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
