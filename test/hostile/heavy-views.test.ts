import { expect } from 'chai';
import type { Callback } from '../../src/callback/callback.ts';
import { BARE, templateFolder, type TestRenderer, testRenderer } from '../render/render-fixture.ts';

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
  const folder = templateFolder();
  const renderer: TestRenderer = testRenderer({ links: { file: 'https://example.com/{{ ref }}' } });

  for (const channel of ['slack', 'email'] as const) {
    it(`in ${channel}: of 290,000 outputs only those that are shown are looked at`, () => {
      const outputs = new Watched(manyOutputs());
      const message = JSON.stringify(renderer[channel](withOutput(outputs.object)));
      expect(message).to.match(/… 289,9\d\d more outputs/);
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

  it('but a template of the user sees all of it', () => {
    folder.write({
      'en/slack/succeeded.yaml': `
text: >-
  {{ outputs.size }}, {{ outputs.first.name }}, {{ outputs.last.value }}, {{ outputs[234].name }},
  {{ outputs | where: "value", 300 | map: "name" | join }}, {{ outputs | map: "value" | sum }},
  {% for output in outputs offset: 998 %}{{ output.name }};{% endfor %}
`,
    });
    const own = testRenderer({ templatesFolder: folder.path });
    const { text } = own.slack(withOutput(manyOutputs(1000)));
    expect(own.failures).to.deep.equal([]);
    expect(text).to.equal('1000, output 0, 999, output 234, output 300, 499500, output 998;output 999;');
  });

  it('and one that would go on and on ends when the message has had its time, by the built-in one', () => {
    folder.write({
      'en/slack/succeeded.yaml':
        'text: "{% for a in outputs %}{% for b in outputs %}{{ b.name | size | modulo: 7 }}{% endfor %}{% endfor %}"',
    });
    const own = testRenderer({ templatesFolder: folder.path });
    expect(own.slack(withOutput(manyOutputs())).text).to.contain('succeeded');
    expect(own.failures.map(({ message }) => message).join()).to.match(/limit exceeded|longer than/);
  });
});
