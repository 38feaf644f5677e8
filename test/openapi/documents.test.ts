/** The OpenAPI documents: valid, with examples that their schemas take, and the paths that there are. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { type ApiDocument, fieldOf, placeAt, readDocument, textOf } from './document.ts';
import { faultsIn } from './schemas.ts';

const ROOT = join(import.meta.dirname, '../..');

const RECEIVER = readDocument('receiver');
const ADMIN = readDocument('admin');

/** Every object below a value, with its pointer. */
function* objectsIn(value: unknown, pointer = '#'): Generator<readonly [pointer: string, found: object]> {
  if (typeof value !== 'object' || value === null) return;
  yield [pointer, value];
  for (const [key, item] of Object.entries(value)) {
    const token = encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
    yield* objectsIn(item, `${pointer}/${token}`);
  }
}

function contentsOf({ root }: ApiDocument) {
  return [...objectsIn(root)].filter(([pointer]) => /\/content\/[^/]+$/.test(pointer));
}

function examplesOf(content: object): readonly unknown[] {
  const example = fieldOf(content, 'example');
  const named: unknown[] = Object.values(fieldOf(content, 'examples') ?? {});
  return [...(example === undefined ? [] : [example]), ...named.map((each) => fieldOf(each, 'value'))];
}

describe('The OpenAPI documents', () => {
  for (const document of [RECEIVER, ADMIN]) {
    const { name, root } = document;

    it(`are OpenAPI 3.1, of the program's version: ${name}`, async () => {
      const validator = new Validator();
      expect(await validator.validate(textOf(name))).to.deep.equal({ valid: true });
      expect(validator.version).to.equal('3.1');
      const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
      expect(placeAt(root, '#/info/version')?.value).to.equal(version);
    });

    it(`have an example of each content, which its schema takes: ${name}`, () => {
      for (const [pointer, content] of contentsOf(document)) {
        expect(examplesOf(content), pointer).not.to.deep.equal([]);
        for (const example of examplesOf(content))
          expect(faultsIn(document, `${pointer}/schema`, example), pointer).to.deep.equal([]);
      }
    });
  }

  it('have the paths by which the admin listener routes, and those of the receiver', () => {
    const folder = join(ROOT, 'src/admin');
    const files = [...readdirSync(join(folder, 'api')).map((file) => `api/${file}`), 'admin.ts'];
    const routes = files.flatMap((file) => [
      ...readFileSync(join(folder, file), 'utf8').matchAll(/router\.(\w+)\((?:'([^']+)'|METRICS_PATH)/g),
    ]);
    const found = routes.map(([, method = '', path = '/metrics']) => {
      return `${method.toUpperCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;
    });
    const described = ADMIN.operations.map(({ method, path }) => `${method} ${path}`);
    expect(found.length).to.be.above(15);
    expect(described.toSorted()).to.deep.equal(found.toSorted());
    const received = RECEIVER.operations.map(({ method, path }) => `${method} ${path}`);
    expect(received).to.have.members(['POST /callbacks', 'POST /callbacks/{token}', 'GET /healthz']);
  });
});
