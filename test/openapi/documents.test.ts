/** The OpenAPI documents: valid, closed against what nobody has described, and with the product's own words in them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { FILTER_WORDS } from '../../src/admin/filter-words.ts';
import { CALLBACK_RESULTS, DELIVERY_STATES } from '../../src/admin/filters.ts';
import { ALL_STATUSES } from '../../src/callback/callback.ts';
import { createCallbackCheck } from '../../src/callback/check-callback.ts';
import { FAILURE_CLASSES } from '../../src/channels/failure.ts';
import type { Actor } from '../../src/ledger/actions/action.ts';
import type { BulkKind, BulkRedelivery } from '../../src/ledger/actions/actions.ts';
import type { CallbackKind, RefusedStatus } from '../../src/ledger/ledger.ts';
import type { StoryEventName } from '../../src/story/story.ts';
import { callback, fixture, FIXTURE_NAMES } from '../support/bridge-world.ts';
import { blocksOf, readDocument as readText } from '../support/documents.ts';
import {
  type ApiDocument,
  fieldOf,
  type Listener,
  LISTENERS,
  memberAt,
  membersAt,
  placeAt,
  readDocument,
  textOf,
} from './document.ts';
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

/** Whether an object may have no member but those that are described. */
function isClosed(document: ApiDocument, schema: unknown): boolean {
  const reference = fieldOf(schema, '$ref');
  if (typeof reference === 'string') return isClosed(document, placeAt(document.root, reference)?.value);
  const choices = fieldOf(schema, 'oneOf');
  if (Array.isArray(choices)) return choices.every((each) => isClosed(document, each));
  return [fieldOf(schema, 'additionalProperties'), fieldOf(schema, 'unevaluatedProperties')].includes(false);
}

describe('The OpenAPI documents', () => {
  for (const document of [RECEIVER, ADMIN]) {
    const { name, root, operations } = document;

    describe(`of the ${name}`, () => {
      it('is OpenAPI 3.1', async () => {
        const validator = new Validator();
        expect(await validator.validate(textOf(name))).to.deep.equal({ valid: true });
        expect(validator.version).to.equal('3.1');
      });

      it('has the version of the program', () => {
        const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
          version: string;
        };
        expect(placeAt(root, '#/info/version')?.value).to.equal(version);
      });

      it('has an example of each content, which its schema takes', () => {
        const contents = contentsOf(document);
        expect(contents.length).to.be.above(10);
        for (const [pointer, content] of contents) {
          expect(examplesOf(content), pointer).not.to.deep.equal([]);
          for (const example of examplesOf(content))
            expect(faultsIn(document, `${pointer}/schema`, example), pointer).to.deep.equal([]);
        }
      });

      it('uses everything that it defines', () => {
        const text = textOf(name);
        for (const [kind, { value }] of membersAt(root, { pointer: '#', value: root }, 'components'))
          for (const each of kind === 'securitySchemes' ? [] : Object.keys(value as object))
            expect(text, `${kind}/${each}`).to.include(`'#/components/${kind}/${each}'`);
      });

      it('says of each operation what it is called, what it does, and what another method is answered', () => {
        const ids = operations.map(({ place }) => memberAt(root, place, 'operationId')?.value);
        expect(new Set(ids).size).to.equal(operations.length);
        for (const { place, responses, path } of operations) {
          expect(memberAt(root, place, 'summary')?.value, path).to.be.a('string');
          expect([...responses.keys()], path).to.include.members(['405', 'default']);
        }
      });

      it('lets no answer have what it does not describe, but for what senders decide', () => {
        const open = contentsOf(document)
          .filter(([pointer]) => pointer.includes('/responses/') && !pointer.endsWith('plain'))
          .filter(([, content]) => !isClosed(document, fieldOf(content, 'schema')))
          .map(([pointer]) => decodeURIComponent(pointer).replaceAll('~1', '/'));
        expect(open).to.deep.equal(
          name === 'admin'
            ? ['#/paths//api/callbacks/{id}/body/get/responses/200/content/application/json']
            : [],
        );
      });
    });
  }

  it('has the examples of docs/api.md, which a test asks and gets', () => {
    const examples = contentsOf(ADMIN).flatMap(([, content]) => examplesOf(content));
    const told = blocksOf(readText('docs/api.md'), 'json').map((block) => JSON.parse(block) as unknown);
    expect(told.length).to.be.at.least(12);
    for (const answer of told) expect(examples).to.deep.include(answer);
  });

  it('has every path that the API is routed by', () => {
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
  });

  it('has every parameter that lists are filtered by', () => {
    const { unknown, repeated, empty, backwards, undelivered, all, ...names } = FILTER_WORDS.en;
    void [unknown, repeated, empty, backwards, undelivered, all];
    const namesAt = (path: string, method: string) =>
      parametersAt(path, method).filter((each) => !['dry_run', 'Idempotency-Key'].includes(each));
    const pages = ['before', 'limit'];
    const errors = ['error_class', 'error_code'];
    const without = (left: readonly string[]) => Object.keys(names).filter((each) => !left.includes(each));
    expect(namesAt('/api/callbacks', 'GET')).to.have.members(without(errors));
    expect(namesAt('/api/redeliver', 'POST')).to.have.members(without(pages));
    expect(namesAt('/api/dismiss', 'POST')).to.have.members(without(pages));
  });

  function parametersAt(path: string, method: string): string[] {
    const operation = ADMIN.operations.find((each) => each.path === path && each.method === method);
    const places =
      operation === undefined ? [] : membersAt(ADMIN.root, operation.place, 'parameters').values();
    return [...places].map(({ value }) => String(fieldOf(value, 'name')));
  }

  const words = <Word extends string | number>(all: Readonly<Record<Word, true>>) => Object.keys(all);
  const failed = new Set(['failed', 'timed_out', 'unavailable']);
  const lists: readonly (readonly [Listener, where: string, readonly string[]])[] = [
    ['receiver', 'schemas/Result', CALLBACK_RESULTS.filter((result) => !failed.has(result))],
    ['receiver', 'schemas/DeliveryState', DELIVERY_STATES],
    ['admin', 'schemas/CallbackResult', CALLBACK_RESULTS],
    ['admin', 'schemas/DeliveryState', DELIVERY_STATES],
    ['admin', 'schemas/StatusName', ALL_STATUSES],
    ['admin', 'parameters/Status/schema', [...ALL_STATUSES, '0', '1', '2']],
    ['admin', 'schemas/FailureClass', FAILURE_CLASSES],
    ['admin', 'parameters/ErrorClass/schema', [...FAILURE_CLASSES, 'none']],
    ['admin', 'schemas/Bulk/properties/filter/properties/error_class', [...FAILURE_CLASSES, 'none']],
    [
      'admin',
      'schemas/TimelineEvent/properties/what',
      words<StoryEventName>({
        received: true,
        'route matched': true,
        'route did not match': true,
        superseded: true,
        held: true,
        attempt: true,
        delivered: true,
        dead: true,
        'taken over': true,
        answered: true,
        alerted: true,
        redelivered: true,
        dismissed: true,
        'routed anew': true,
        withdrawn: true,
        'left out': true,
        next: true,
      }),
    ],
    [
      'admin',
      'schemas/Actor/properties/via',
      words<Actor['via']>({ page: true, api: true, 'command line': true }),
    ],
    ['admin', 'schemas/Bulk/properties/what', words<BulkKind>({ redelivered: true, dismissed: true })],
    [
      'admin',
      'schemas/Bulk/properties/state',
      words<BulkRedelivery['state']>({ running: true, done: true, stopped: true }),
    ],
    ['admin', 'schemas/CallbackStory/properties/kind', words<CallbackKind>({ callback: true, alert: true })],
    [
      'admin',
      'schemas/RefusedBody/properties/status',
      words<RefusedStatus>({ 400: true, 413: true, 415: true, 422: true }),
    ],
  ];

  for (const [name, where, wanted] of lists) {
    it(`has the product's own words in ${where} of the ${name}`, () => {
      const { root } = name === 'receiver' ? RECEIVER : ADMIN;
      const listed = fieldOf(placeAt(root, `#/components/${where}`)?.value, 'enum');
      expect((listed as unknown[]).map(String)).to.have.members([...wanted]);
    });
  }

  describe('take for a callback', () => {
    const check = createCallbackCheck('UTC');
    const isTaken = (value: unknown) => {
      try {
        check(value);
        return true;
      } catch {
        return false;
      }
    };
    const isDescribed = (value: unknown) =>
      faultsIn(RECEIVER, '#/components/schemas/Callback', value).length === 0;

    it('every sample that the receiver takes', () => {
      for (const name of FIXTURE_NAMES) {
        const sample: unknown = JSON.parse(fixture(name));
        expect([isTaken(sample), isDescribed(sample)], name).to.deep.equal([true, true]);
      }
    });

    for (const [what, changes] of [
      ['no code', { code: undefined }],
      ['a code in quotes', { code: '500' }],
      ['a code with a fraction', { code: 1.5 }],
      ['a job without an id', { job_id: null }],
      ['a number for a BOT', { bot_id: 7 }],
      ['no name', { bot_name: undefined }],
      ['a fourth status', { status: 3 }],
      ['a status in quotes', { status: '1' }],
      ['a number for a time', { start_time: 1_763_596_800 }],
      ['a time in words', { elapsed_time: '42' }],
      ['a list for output', { output: [] }],
      ['a number for a message', { message: 404 }],
    ] as const) {
      it(`not one that the receiver refuses: ${what}`, () => {
        const wrong: unknown = JSON.parse(JSON.stringify({ ...callback(), ...changes }));
        expect([isTaken(wrong), isDescribed(wrong)]).to.deep.equal([false, false]);
      });
    }

    it('one with nulls and with fields that nobody knows', () => {
      const lenient = {
        ...callback(),
        elapsed_time: null,
        output: null,
        message: null,
        further: [1, { a: 2 }],
      };
      expect([isTaken(lenient), isDescribed(lenient)]).to.deep.equal([true, true]);
    });
  });

  it('are there for both listeners', () => expect(LISTENERS).to.deep.equal([RECEIVER.name, ADMIN.name]));
});
