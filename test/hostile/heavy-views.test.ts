import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import { BARE, type TestRenderer, testRenderer } from '../render/render-fixture.ts';

/** What was read of an object's members while it was being rendered. */
class Watched {
  reads = 0;
  readonly object: Record<string, unknown>;

  constructor(members: Readonly<Record<string, unknown>>) {
    const get = (target: object, key: string | symbol) => {
      this.reads += 1;
      return Reflect.get(target, key) as unknown;
    };
    this.object = new Proxy<Record<string, unknown>>({ ...members }, { get });
  }
}

const MANY = 290_000;

function manyOutputs(length = MANY): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length }, (_, index) => [`output ${index}`, index]));
}

function withOutput(output: Record<string, unknown>): Callback {
  return { ...BARE, output };
}

function file(index: number) {
  return { ref: `files/${index}`, meta: { name: `${index}.pdf`, size: 100, timestamp: 1_513_657_350_000 } };
}

describe('Of what no template shows, nothing is made', () => {
  const renderer: TestRenderer = testRenderer({ links: { file: 'https://example.com/{{ ref }}' } });

  for (const channel of ['slack', 'email'] as const) {
    it(`in ${channel}: of 290,000 outputs only those that are shown are looked at`, () => {
      const outputs = new Watched(manyOutputs());
      const message = JSON.stringify(renderer[channel](withOutput(outputs.object)));
      expect(message).to.match(/… 289,9\d\d more/);
      expect(message).to.contain('output 14');
      expect(outputs.reads).to.be.lessThan(100);
    });

    it(`in ${channel}: of 70,000 files only those that are shown are looked at`, () => {
      const entries = Array.from({ length: 70_000 }, (_, index) => new Watched(file(index)));
      const files = { type: 'files', files: entries.map(({ object }) => object) };
      const message = JSON.stringify(renderer[channel](withOutput({ files })));
      expect(message).to.match(/… 69,9\d\d more/);
      expect(message).to.contain('https://example.com/files/0');
      expect(entries.filter(({ reads }) => reads > 0)).to.have.lengthOf.below(130);
    });

    it(`in ${channel}: of an item with 100,000 fields the first ones are shown, the others counted`, () => {
      const fields = Object.fromEntries(
        Array.from({ length: 100_000 }, (_, index) => [`field ${index}`, index]),
      );
      const message = JSON.stringify(renderer[channel](withOutput({ list: [fields, { a: 1 }] })));
      expect(message).to.contain('field 0: 0');
      expect(message).to.match(/… 99,9\d\d more fields/);
      expect(renderer.failures).to.deep.equal([]);
    });
  }
});
