/** Templates that ask for what can never be there are told so before anything is sent. */
import { expect } from 'chai';
import { Liquid } from 'liquidjs';
import { findMisuses } from '../../src/render/templates/find-misuses.ts';
import type { RenderTarget } from '../../src/render/templates/catalog.ts';
import { createLinks } from '../../src/render/view/links.ts';
import { CALLBACK_SHAPE } from '../../src/render/view/shapes.ts';
import { templateFolder, testRenderer } from './render-fixture.ts';

const TARGET: RenderTarget = { format: 'slack', templateSet: 'one', options: {} };

describe('What a template can never get', () => {
  const folder = templateFolder();

  /** As `line:column: message`, in the Slack template of one set. */
  function told(text: string, partials: Readonly<Record<string, string>> = {}): string[] {
    const files = Object.entries(partials).map(([name, liquid]) => [`one/slack/_${name}.liquid`, liquid]);
    const written = folder.write({
      'one/slack/succeeded.yaml': `text: |\n  ${text.replaceAll('\n', '\n  ')}\n`,
      ...(Object.fromEntries(files) as Record<string, string>),
    });
    return testRenderer({ templatesFolder: written.path })
      .check([TARGET])
      .map(({ place, message }) => {
        const file = place.file.endsWith('.liquid') ? `${place.file.split('/').at(-1)}:` : '';
        return `${file}${place.line}:${place.column}: ${message}`;
      });
  }

  const STATUS = 'this is never "failed": it is "succeeded", "error", "executing"';
  const NME = 'there is no member "nme"; did you mean "name"?';

  const CASES: readonly (readonly [text: string, ...told: string[]])[] = [
    ['{{ outputs[0].nme }}', `2:17: ${NME}`],
    ['{{ outputs.first.nme }}', `2:20: ${NME}`],
    ['{{ outputs[0]["nme"] }}', `2:17: ${NME}`],
    ['{% for output in outputs %}{{ output.nme }}{% endfor %}', `2:40: ${NME}`],
    ['{% for output in outputs reversed %}{{ output.nme }}{% endfor %}', `2:49: ${NME}`],
    [
      '{% for output in outputs %}{% for file in output.files %}{{ file.sze }}{% endfor %}{% endfor %}',
      '2:68: there is no member "sze"; did you mean "size"?',
    ],
    ['{% assign first = outputs[0] %}{{ first.nme }}', `2:43: ${NME}`],
    ['{% assign found = outputs | where: "kind", "list" | first %}{{ found.nme }}', `2:72: ${NME}`],
    [
      '{% assign found = outputs | where: "knd", "list" %}',
      '2:38: there is no member "knd"; did you mean "kind"?',
    ],
    ['{{ outputs | map: "nme" | join: ", " }}', `2:21: ${NME}`],
    ['{{ outputs[attempt].nme }}', `2:23: ${NME}`],
    ['{% if outputs[0].nme == "x" %}a{% endif %}', `2:20: ${NME}`],
    ['{{ outputs.nme }}', '2:14: there is no member "nme": there are size, first, last'],
    ['{{ bot_name.first_name }}', '2:15: there is no member "first_name": this is a plain value'],
    ['{{ bot_id | append: outputs[0].nme }}', `2:34: ${NME}`],
    ['{% if status_name == "failed" %}a{% endif %}', `2:24: ${STATUS}`],
    ['{% if "failed" != status_name %}a{% endif %}', `2:9: ${STATUS}`],
    ['{% if bot_id == "x" or status_name == "failed" and attempt > 1 %}a{% endif %}', `2:41: ${STATUS}`],
    ['{% unless status_name == "failed" %}a{% endunless %}', `2:28: ${STATUS}`],
    ['{% if bot_id == "x" %}a{% elsif status_name == "failed" %}b{% endif %}', `2:50: ${STATUS}`],
    ['{% case status_name %}{% when "error", "failed" %}a{% endcase %}', `2:42: ${STATUS}`],
    ['{% assign s = status_name %}{% if s == "failed" %}a{% endif %}', `2:42: ${STATUS}`],
    [
      '{% if status_name == "eror" %}a{% endif %}',
      `2:24: ${STATUS.replace('failed', 'eror')}; did you mean "error"?`,
    ],
    ['{% if status == "1" %}a{% endif %}', '2:19: this is never "1": it is 0, 1, 2'],
    ['{% if status == 3 %}a{% endif %}', '2:19: this is never 3: it is 0, 1, 2'],
    [
      '{% for o in outputs %}{% if o.kind == "file" %}a{% endif %}{% endfor %}',
      '2:41: this is never "file": it is "scalar", "list", "files", "other"; did you mean "files"?',
    ],
  ];

  for (const [text, ...faults] of CASES) {
    it(`is told with its place: ${text}`, () => {
      expect(told(text)).to.deep.equal(faults);
    });
  }

  it('is found in partials, by what they are given', () => {
    expect(
      told('{% for output in outputs %}{% render "row", row: output %}{% endfor %}', {
        row: 'Row\n{{ row.nme }}',
      }),
    ).to.deep.equal([`_row.liquid:2:8: ${NME}`]);
    expect(told('{% render "row" for outputs as row %}', { row: '{{ row.nme }}' })).to.deep.equal([
      `_row.liquid:1:8: ${NME}`,
    ]);
    expect(told('{% render "row" with outputs[0] as row %}', { row: '{{ row.nme }}' })).to.deep.equal([
      `_row.liquid:1:8: ${NME}`,
    ]);
    expect(
      told('{% render "row" %}', { row: '{{ status_name }}{% if status == 7 %}{% endif %}' }),
    ).to.deep.equal(['_row.liquid:1:34: this is never 7: it is 0, 1, 2']);
  });

  it('is not looked for in what the sender decides, or the template itself', () => {
    const texts = [
      '{{ output.anything.at.all }}{{ output["件数"] }}{{ callback.contract.id }}',
      '{% for item in outputs[0].items %}{{ item.whatever }}{% endfor %}',
      '{% for pair in output %}{{ pair[0] }}{{ pair.last }}{% endfor %}',
      '{{ outputs.size }}{{ outputs[0].files.first.name }}{{ outputs[0].files[0].size }}{{ outputs.last.value.size }}',
      '{% for output in outputs %}{{ forloop.index }}{{ output.name }}{% endfor %}{{ output.nme }}',
      '{% assign x = bot_id | split: "-" %}{{ x[0] }}{{ x.first }}',
      '{% if attempt > 1 %}{% assign x = outputs %}{% else %}{% assign x = callback %}{% endif %}{{ x.nme }}',
      '{% if status_name == "error" or message == blank or elapsed_time == nil %}a{% endif %}',
      '{% if status_name contains "err" %}a{% endif %}',
      '{% case status %}{% when 0 %}a{% when 1, 2 %}b{% endcase %}',
      '{% capture text %}{{ bot_id }}{% endcapture %}{{ text.size }}',
    ];
    for (const text of texts) expect(told(text), text).to.deep.equal([]);
  });

  it('is looked for once in partials that render each other, and then to the end', () => {
    const partials = { a: '{{ outputs[0].nme }}{% render "b" %}', b: '{% render "a" %}' };
    const liquid = new Liquid({ templates: partials });
    const templates = liquid.parse('{% render "a" %}{{ outputs[0].nme }}');
    const faults = findMisuses(templates, CALLBACK_SHAPE);
    expect(faults.map(({ partial, column, severity }) => [partial, column, severity])).to.deep.equal([
      ['a', 15, undefined],
      ['b', 1, 'warning'],
      [undefined, 31, undefined],
    ]);
    expect(faults[1]?.message).to.equal(
      '"a" renders itself: a message that goes deeper than 100 is made by the built-in template',
    );
  });

  it('is found in the links of the config, too', () => {
    const display = {
      timezone: 'UTC',
      language: 'en',
      links: { job: 'https://x.test/{% if status == 5 %}a{% endif %}' },
    } as const;
    expect(createLinks(display).problems.map(({ message }) => message)).to.deep.equal([
      'this is never 5: it is 0, 1, 2',
    ]);
  });

  it('is nothing that the built-in templates ask for', () => {
    const targets = ['slack', 'email'].flatMap((format) =>
      ['en', 'ja'].map((templateSet): RenderTarget => ({ format, templateSet, options: {} })),
    );
    expect(testRenderer({ templatesFolder: 'templates' }).check(targets)).to.deep.equal([]);
  });
});
