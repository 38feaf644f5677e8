/** The JSON Schema that comes with the program: what `botbell schema` prints, and named where editors look for it. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import { channelTypes } from '../../src/channels/registry.ts';
import { configJsonSchema } from '../../src/config/json-schema.ts';
import { YamlSource } from '../../src/config/yaml-source.ts';
import { runCommand } from '../support/command.ts';
import { isValid } from './json-schema-validator.ts';

const SCHEMA = 'config/botbell.schema.json';

describe('The JSON Schema in the package', () => {
  it('is what `botbell schema` prints: botbell schema > config/botbell.schema.json', async () => {
    const { stdout } = await runCommand(['schema']);
    expect(readFileSync(SCHEMA, 'utf8')).to.equal(`${stdout}\n`);
  });

  it('can be asked for by name', () => {
    const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      exports: Readonly<Record<string, string>>;
    };
    expect(exports['./schema.json']).to.equal(`./${SCHEMA}`);
  });

  const names = ['botbell', 'botbell.example', 'botbell.demo', 'starter/en/botbell', 'starter/ja/botbell'];
  for (const name of names) {
    it(`is named at the head of config/${name}.yaml, which is valid by it`, () => {
      const path = join('config', `${name}.yaml`);
      const text = readFileSync(path, 'utf8');
      const named = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1] ?? '';
      expect(relative('.', join(dirname(path), named))).to.equal(SCHEMA);
      const source = new YamlSource(path, text);
      expect(isValid(source.data, configJsonSchema(channelTypes))).to.equal(true);
    });
  }
});
