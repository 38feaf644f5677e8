import { expect } from 'chai';
import fc from 'fast-check';
import { CARD_KIND } from '../../src/render/card-template.ts';
import { enginesFor } from '../../src/render/engine.ts';
import { Template, TemplateFault } from '../../src/render/template.ts';
import { parseExactly } from '../../src/text/json.ts';
import { sized } from '../support/test-size.ts';

const ENGINES = enginesFor({ timezone: 'UTC', language: 'en', links: {} });

type Value = string | readonly string[];

function textOf(values: readonly Value[]): string {
  return JSON.stringify({ title: 't', summary: 's', facts: values.map((value) => ({ name: 'n', value })) });
}

function templateOf(...values: readonly Value[]): Template {
  return new Template({ path: 'card.yaml', set: 'own', text: textOf(values) }, CARD_KIND, 'en', ENGINES);
}

function columnOf(fault: string): number {
  return Number(/^card\.yaml:1:(\d+)/.exec(fault)?.[1]);
}

function printed(view: Readonly<Record<string, unknown>>, ...values: readonly Value[]): unknown[] {
  const template = templateOf(...values);
  expect(template.problems).to.deep.equal([]);
  // Without a limit of time, which a busy machine may reach.
  const { facts } = template.render(view, Infinity) as { readonly facts: readonly { value: unknown }[] };
  return facts.map(({ value }) => value);
}

function faultOf(view: object, limitMs: number, ...values: readonly string[]): string {
  try {
    templateOf(...values).render({ ...view }, limitMs);
  } catch (error) {
    if (error instanceof TemplateFault) return error.message;
    throw error;
  }
  return 'none';
}

/** What the text prints; '' where a filter refuses its value. */
function textWith(text: string, view: object): string {
  try {
    return JSON.stringify(templateOf(`${text}!`).render({ ...view }, Infinity));
  } catch {
    return '';
  }
}

describe('The strings of a template', () => {
  it('say what each says alone, and a variable what it says among words, whatever the values', () => {
    const piece = fc.constantFrom('\0', '\u0001', '🦊', '\ud83d', ' ', '<&>', '{{ b }}', 'x');
    const value = fc.oneof(
      fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join('')),
      fc.constantFrom(null, undefined, 0, 1.5, true, false, [], [1, [2]], {}, { size: 3 }),
    );
    const strings = [
      '1 {{ a }} 2',
      ...['a', 'true', 'nil', 'empty', 'blank', 'constructor'].map((name) => `{{ ${name} }}`),
      '{% if a %}yes{% else %}no{% endif %}',
      '-{{ b | upcase }}-',
    ];
    fc.assert(
      fc.property(value, value, (a, b) => {
        const alone = strings.map((string) => printed({ a, b }, `${string}{% comment %}{% endcomment %}`)[0]);
        expect(printed({ a, b }, ...strings)).to.deep.equal(alone);
      }),
      { numRuns: sized(25, 300) },
    );
  });

  it('may be lists of strings, of which those are left out in which a variable is empty', () => {
    const value = ['{{ a }} failed', ' after {{ b }}', ': {{ c }}', '{% if c == blank %}, silent{% endif %}'];
    const said = (view: Readonly<Record<string, unknown>>) => printed(view, value)[0];
    expect(said({ a: 'x', b: 0, c: 'y' })).to.equal('x failed after 0: y');
    expect(said({ a: 'x', b: '', c: null })).to.equal('x failed, silent');
    expect(said({ b: '{{ a }}', c: '' })).to.equal(' after {{ a }}, silent');
  });

  it('print numbers as they are spelt in JSON, too, and take those that are spelt alike for one', () => {
    const view = parseExactly('{"row":{"10":1.10,"2":[12345678901234567890]},"at":1700000000.0}') as object;
    const list = parseExactly('{"list":[{"n":1.0},{"n":1.0}]}') as object;
    const strings = ['{{ row | json }}', '{{ row | jsonify: -1 }}', '{{ row["2"] | inspect: 1 }}'];
    const row = '{"10":1.10,"2":[12345678901234567890]}';
    const inspected = '[\n 12345678901234567890\n]';
    const shown = printed({ ...view }, ...strings, '{{ at | date: "%Y" }}');
    expect(shown).to.deep.equal([row, row, inspected, '2023']);
    const numbers = '{{ row["10"] | number }} {{ row["2"][0] | number }} {{ 2 | divided_by: 3.0 | number }}';
    expect(printed({ ...view }, numbers)).to.deep.equal(['1.10 12,345,678,901,234,567,890 0.667']);
    const counted = ['{{ list | map: "n" | uniq | size }}', '{{ list | group_by: "n" | size }}'];
    expect(printed({ ...list }, ...counted)).to.deep.equal(['1', '1']);
    const doubled =
      '{% for i in (1..40) %}{% assign list = list | push: list %}{% endfor %}{{ list | json }}';
    expect(faultOf(list, Infinity, doubled)).to.include('memory');
  });

  it('print a time without an offset as of the display’s clocks, whatever filter of dates takes it', () => {
    const liquid = enginesFor({ timezone: 'Asia/Tokyo', language: 'en', links: {} })(undefined);
    for (const [filter, text] of [
      ['date: "%d %H:%M %z"', '20 08:00 +0900'],
      ['date_to_xmlschema', '2026-11-20T08:00:00+09:00'],
      ['date_to_long_string', '20 November 2026'],
    ] as const)
      expect(liquid.parseAndRenderSync(`{{ at | ${filter} }}`, { at: '2026-11-20T08:00' })).to.equal(text);
  });

  it('keep their words and the other values where one overwrites its line or opens an escape sequence', () => {
    const [bar, open] = ['10%\r100%', 'red\u001b]0;x'];
    const row = { '': 1, bar, open: [open, bar], last: 'y' };
    const shown = printed({ bar, open, row }, 'At {{ bar }} of {{ open }} now', '{{ row | inline }}');
    expect(shown).to.deep.equal(['At 100% of red now', '–: 1 · bar: 100% · open: red, 100% · last: y']);
  });

  it('take what is empty or absent neither for less nor for more than a number', () => {
    const view = { nothing: null, word: '', list: [], few: '3', many: '12', spelt: parseExactly('1.50') };
    const said = (condition: string) => printed(view, `{% if ${condition} %}yes{% endif %}`)[0];
    for (const name of ['nothing', 'word', 'list', 'missing'])
      for (const compared of [`${name} < 5`, `${name} <= 0`, `${name} > -1`, `-1 <= ${name}`])
        expect(said(compared), compared).to.equal('');
    for (const compared of ['few < 5', 'few < many', 'spelt >= 1.5', 'word < "a"', 'few != 3'])
      expect(said(compared), compared).to.equal('yes');
  });

  it('print of objects and lists what is in them, whatever filter takes them for a text', () => {
    const view = { rows: [{ a: 1 }, { a: [2, 'x'] }], list: ['b', 'c'], one: { a: 1 } };
    const said: Readonly<Record<string, string>> = {
      'rows | join: "; "': 'a: 1; a: 2, x',
      'list | join: "; "': 'b; c',
      'rows | array_to_sentence_string': 'a: 1 and a: 2, x',
      'one | join: "; "': '{"a":1}',
      'list | inline': 'b, c',
      'rows | inline': '{"a":1}, {"a":[2,"x"]}',
      '"see " | append: one': 'see {"a":1}',
      'list | prepend: "see "': 'see ["b","c"]',
      'rows | first | upcase': '{"A":1}',
      'one | replace: "1", one | strip': '{"a":{"a":1}}',
      'rows | truncate: 12': '[{"a":1},...',
    };
    const values = Object.keys(said).map((value) => `{{ ${value} }}`);
    expect(printed(view, ...values)).to.deep.equal(Object.values(said));
    const liquid = ENGINES(undefined);
    // Whatever liquidjs adds.
    for (const name of Object.keys(liquid.filters))
      expect(textWith(`{{ rows | ${name}: "a" }}`, view), name).not.to.match(/object object/i);
  });

  it('know nothing of each other', () => {
    expect(printed({ a: 1 }, '{% assign a = 2 %}{{ a }}!', '{{ a }}!')).to.deep.equal(['2!', '1!']);
    expect(printed({}, '{% capture c %}x{% endcapture %}{{ c }}!', '{{ c }}!')).to.deep.equal(['x!', '!']);
    const ends = '{% for n in list %}{{ n }}{% break %}{% endfor %}{% break %}lost';
    expect(printed({ list: [1, 2] }, ends, 'on {{ list.size }}')).to.deep.equal(['1', 'on 2']);
    const first = '{% for n in list limit: 1 %}{{ n }}{% endfor %}';
    const next = '{% for n in list limit: 1 offset: continue %}{{ n }}{% endfor %}';
    expect(printed({ list: [1, 2, 3] }, first, next, first)).to.deep.equal(['1', '1', '1']);
  });

  it('name the place of a fault, and each has its own limit of memory', () => {
    const wrong = '{{ a | fit: "x" }}';
    const fault = faultOf({ a: 'b' }, 1000, 'x {{ a }}', `x ${wrong}`, 'y {{ a }}');
    expect(fault).to.match(/^card\.yaml:1:\d+: "fit" needs/);
    const [early, late] = [faultOf({}, 1000, wrong, '{{ a }}!'), faultOf({}, 1000, '{{ a }}!', wrong)];
    expect(columnOf(late)).to.be.greaterThan(columnOf(early));
    const large = { a: 'x'.repeat(400_000) };
    const doubled = '{{ a | append: "y" | size }}';
    expect(printed(large, doubled, doubled, doubled, doubled)).to.deep.equal(Array(4).fill('400001'));
  });

  it('name the place of what takes too long', () => {
    const loops = '{% for a in list %}'.repeat(6) + '{{ a }}' + '{% endfor %}'.repeat(6);
    const slow = `{% if list %}${loops}{% endif %}`;
    const values = ['{{ a }}!', slow, '{{ a }}?'];
    const fault = faultOf({ list: Array(100).fill('') }, 40, ...values);
    expect(fault).to.include('render limit');
    const begin = textOf(values).indexOf(slow);
    expect(columnOf(fault)).to.be.within(begin, begin + slow.length);
  });
});
