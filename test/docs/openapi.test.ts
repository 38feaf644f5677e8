/** docs/openapi.yaml in itself, and its paths. Each answer is held to it where it is tried: test/admin/, test/receive/. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { OWN_NAMES } from '../../src/notice/notice.ts';
import { examplesIn, faultBy, OPENAPI, OPENAPI_TEXT } from '../support/openapi.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('The OpenAPI document', () => {
  it('is OpenAPI 3.1, of the program’s version', async () => {
    const validator = new Validator();
    expect(await validator.validate(OPENAPI_TEXT)).to.deep.equal({ valid: true });
    expect(validator.version).to.equal('3.1');
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(OPENAPI.info.version).to.equal(version);
  });

  it('has no example that is not as it says', () => {
    const examples = examplesIn(OPENAPI);
    expect(examples).to.have.length.above(30);
    expect(examples.flatMap(([place, value]) => faultBy(place, value) ?? [])).to.deep.equal([]);
  });

  it('says what a hook is posted, of each of Botbell’s own notices by its name', () => {
    const posted = readFileSync(join(ROOT, 'test/channels/webhook/messages.json'), 'utf8');
    const messages = Object.values(JSON.parse(posted) as Readonly<Record<string, unknown>>);
    const faults = (message: unknown) => faultBy('/components/schemas/HookMessage', message);
    expect(messages.flatMap((message) => faults(message) ?? [])).to.deep.equal([]);
    const words = { title: '', summary: '', text: '', message: '', destination: 'erp:orders' };
    const timestamp = new Date(0).toISOString();
    for (const name of [...OWN_NAMES, 'overdue'])
      expect(faults({ type: `botbell.${name}`, timestamp, data: words }), name).to.equal(undefined);
    expect(faults({ type: 'botbell.recovered', timestamp, data: words })).not.to.equal(undefined);
  });

  it('has the paths by which the listeners route, and no other', () => {
    const folder = join(ROOT, 'src/admin');
    const routes = ['api.ts', 'admin.ts'].flatMap((file) => [
      ...readFileSync(join(folder, file), 'utf8').matchAll(/\b(?:get|act)\((?:'(\w+)', )?'(\/[^']+)'/g),
    ]);
    const found = routes.map(
      ([, method = 'get', path = '']) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    );
    const described = Object.entries(OPENAPI.paths).flatMap(([path, item]) =>
      ['get', 'post', 'delete'].filter((method) => method in item).map((method) => `${method} ${path}`),
    );
    const received = ['post /callbacks', 'post /callbacks/{token}'];
    expect(described.toSorted()).to.deep.equal([...found, ...received].toSorted());
  });
});
