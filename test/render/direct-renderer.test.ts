import { expect } from 'chai';
import fc from 'fast-check';
import type { Liquid } from 'liquidjs';
import { MRKDWN } from '../../src/channels/slack/markup.ts';
import { createEngine, renderText } from '../../src/render/liquid/engine.ts';
import { faultOf } from '../../src/render/templates/liquid-faults.ts';
import { Meter } from '../../src/render/liquid/print-value.ts';

/** What is written between semicolons. */
function listOf(text: string): string[] {
  return text.split(';').map((item) => item.trim());
}

const PARTIALS = {
  row: '{{ row.a | fit: 9 }}={{ k }}{{ x }};',
  failing: 'line one\n{{ x | fit: "wide" }}',
  frame: '«{% block top %}top{% endblock %}|{% block end %}{{ x }}{% endblock %}»',
  inner:
    '{% layout "frame", k: 1 %}{% block end %}[{% block deep %}{{ k }}{% endblock %}{{ block.super }}]{% endblock %}',
  bare: '{{ k }}{% block %}unnamed{% endblock %}{% block end %}{% render "row" %}{% endblock %}',
  nested: '{% block again %}{% include "nested" %}{% endblock %}',
  unfinished: '{% if x %}',
  links:
    '<{{ map.url }}|{{ map.url }}> <https://a.test/{{ k }}> {% for row in list %}<{{ row }}>{% endfor %}',
};

const VALUES = listOf(`
  x ; n ; none ; list ; map ; captured ; map.a ; map.url ; map["b c"] ; map[x] ; list[0] ; list.first.a ;
  list.size ; x.size ; list[-1].a ; map.toString ; x.constructor ; map.none.none ; (1..n) ; nil ;
  "q" ; 'q' ; 3 ; 1.50 ; true ; false ; empty ; blank ; y ; forloop.index ; map.__proto__ ;
  broken ; forloop ; forloop.last ; forloop.rindex0 ; forloop.name
`);

const FILTERS = listOf(`
  fit: 5 ; fit: n ; inline ; code ; upcase ; size ; default: "d" ; default: x, allow_false: true ;
  append: x ; append: map[x] ; link: "https://example.com/" ; json ; first ; map: "a" ;
  join: ", " ; slice: 1, n ; where: "a", "1" ; sort ; date: "%Y" ; lines: 2 ; plus: 1 ;
  divided_by: 0 ; fit: "no"
`);

const LOOP_OPTIONS = [
  '',
  'limit: 2',
  'limit: 1',
  'limit: 0',
  'limit: n',
  'limit',
  'offset: 1',
  'offset: continue',
  'reversed',
];

const LAYOUTS = [
  '"frame"',
  '"inner"',
  '"bare"',
  '"unfinished"',
  '"failing"',
  '"nowhere"',
  'none',
  'x',
  '"{{ y }}"',
];

const OPERATORS = ['==', '!=', '<', '>', '<=', '>=', 'contains', 'and', 'or'];

const VIEW = {
  x: 'a <b> & *c*',
  n: 2,
  list: [{ a: '1' }, 'two', { a: null, x: ['deep'] }],
  map: { a: 0, 'b c': '', url: 'https://b.test/?c=1&d=_e_', 'a <b> & *c*': [], __proto__x: 1 },
  get broken(): string {
    throw new Error('cannot be read');
  },
};

const value = fc
  .tuple(fc.constantFrom(...VALUES), fc.subarray(FILTERS, { maxLength: 3 }))
  .map(([name, filters]) => [name, ...filters].join(' | '));
const condition = fc
  .tuple(
    fc.constantFrom('', 'not '),
    fc.array(fc.tuple(fc.constantFrom(...VALUES), fc.constantFrom(...OPERATORS)), { maxLength: 3 }),
    fc.constantFrom(...VALUES),
  )
  .map(([not, terms, last]) => `${not}${terms.map((term) => term.join(' ')).join(' ')} ${last}`);

const templates = fc.letrec<{ text: string; piece: string }>((tie) => ({
  text: fc.array(tie('piece'), { maxLength: 4 }).map((pieces) => pieces.join('')),
  piece: fc.oneof(
    { depthSize: 'small' },
    value.map((each) => `{{ ${each} }}`),
    fc.constantFrom(
      ' words ',
      '\n',
      '{%- break -%}',
      '{% continue %}',
      '{% increment n %}',
      '{% cycle x, "b" %}',
    ),
    fc.constantFrom(...Object.keys(PARTIALS).map((name) => `{% render "${name}", k: x %}`)),
    fc.constantFrom('{% render "row" for list as row %}', '{% render "row" with map as row, k: n %}'),
    fc.constantFrom(
      '{% layout "frame" %}{% block end %}{{ block.super }}{{ n }}{% endblock %}',
      '{{ broken }}',
      '{{ block }}{{ block.super }}{{ block | json }}',
      '{% include "nested" %}',
    ),
    fc
      .tuple(fc.constantFrom('', ', k: x, n: 3', ', top: n, k'), tie('text'), fc.constantFrom(...LAYOUTS))
      .map(([args, inner, layout]) => `{% layout ${layout}${args} %}${inner}`),
    fc
      .tuple(fc.constantFrom('', 'top', 'end', 'deep'), tie('text'))
      .map(([name, inner]) => `{% block ${name} %}${inner}{{ block.super }}{% endblock %}`),
    value.map((each) => `{% assign y = ${each} %}{{ y }}{% echo y %}`),
    fc
      .tuple(condition, tie('text'), condition, tie('text'))
      .map(
        ([first, then, second, otherwise]) =>
          `{% if ${first} %}${then}{%- elsif ${second} %}${otherwise}{% else %}{{ x }}{% endif %}`,
      ),
    fc.tuple(condition, tie('text')).map(([each, then]) => `{% unless ${each} %}${then}{% endunless %}`),
    tie('text').map((inner) => `{% capture captured %}${inner}{% endcapture %}{{ captured }}`),
    fc
      .tuple(fc.constantFrom(...VALUES), fc.constantFrom(...LOOP_OPTIONS), tie('text'))
      .map(
        ([items, options, inner]) =>
          `{% for row in ${items} ${options} %}${inner}{{ row.a }}{{ forloop.index }}{% else %}none{% endfor %}`,
      ),
    fc
      .tuple(value, fc.constantFrom('', 'https://a.test/', '@', 'https://a.test/|'))
      .map(([each, before]) => `<${before}{{ ${each} }}|words>`),
    fc
      .tuple(tie('text'), fc.constantFrom('x', 'n', 'y'))
      .map(([inner, of]) => `{% case ${of} %}{% when 2, "b" %}${inner}{% else %}<{{ y }}>{% endcase %}`),
    tie('text').map((inner) => `{% tablerow y in list cols: 2 %}${inner}<{{ y }}>{% endtablerow %}`),
    fc.constantFrom('<{% echo x %}>', '<{% render "row" %}>', '{% render "links", k: x %}'),
    fc.constant('{% comment %}{{ x }}{% endcomment %}'),
  ),
}));

const display = { timezone: 'Asia/Tokyo', language: 'en', links: {} } as const;

function engine(meter: Meter): Liquid {
  return createEngine({ markup: MRKDWN, display, meter, partials: PARTIALS });
}

/** The same engine, but that liquidjs renders by itself. */
function liquidjsEngine(meter: Meter): Liquid {
  return createEngine({ markup: MRKDWN, display, meter, partials: PARTIALS }, (templates) => templates);
}

/** Rendered twice, since what is compiled once must serve every message. */
function outcomeOf(makeEngine: (meter: Meter) => Liquid, template: string): unknown {
  const meter = new Meter();
  const liquid = makeEngine(meter);
  try {
    const parsed = liquid.parse(template);
    return [1, 2].map(() => {
      meter.start();
      return renderText(liquid, parsed, VIEW, meter);
    });
  } catch (error) {
    return faultOf(liquid, error);
  }
}

describe('the direct renderer', () => {
  it('prints what liquidjs itself would, and fails where it would', () => {
    fc.assert(
      fc.property(templates.text, (template) => {
        expect(outcomeOf(engine, template), template).to.deep.equal(outcomeOf(liquidjsEngine, template));
      }),
      { numRuns: 1500 },
    );
  });

  it('prints the same of conditions of any kind', () => {
    fc.assert(
      fc.property(condition, (each) => {
        const template = `{% if ${each} %}yes{% else %}no{% endif %}{{ ${each} }}`;
        expect(outcomeOf(engine, template), template).to.deep.equal(outcomeOf(liquidjsEngine, template));
      }),
      { numRuns: 1500 },
    );
  });

  it('makes of conditions that lack something what liquidjs makes of them', () => {
    for (const lacking of [
      'not',
      'x ==',
      '== 1',
      'x and',
      'x or',
      'none or',
      'x != ',
      'a b',
      'not not',
      'and',
      'true or broken',
      'false and broken',
    ]) {
      const template = `{% if ${lacking} %}yes{% else %}no{% endif %}{{ ${lacking} }}`;
      expect(outcomeOf(engine, template), template).to.deep.equal(outcomeOf(liquidjsEngine, template));
    }
  });

  it('names the value that could not be printed, in its file', () => {
    expect(
      outcomeOf(
        engine,
        'a\n{% for row in list %}{% if x %} {% render "failing", x: n %}{% endif %}{% endfor %}',
      ),
    ).to.deep.equal({
      message: '"fit" needs a number of characters, as in fit: 80',
      line: 2,
      column: 1,
      partial: 'failing',
    });
    expect(outcomeOf(engine, '{{ x }}\n{{ broken }}')).to.deep.equal({
      message: 'cannot be read',
      line: 2,
      column: 4,
    });
  });
});

describe('a message that has had its time', () => {
  afterEach(() => Reflect.deleteProperty(performance, 'now'));

  const LATE = {
    /** As if it had taken a second to read. */
    get slow(): string {
      const now = performance.now();
      performance.now = () => now + 1000;
      return 'too late';
    },
    list: [1, 2],
    map: { a: 1 },
    text: 'a'.repeat(2000),
  };

  for (const step of listOf(`
    {{ map.a | fit: 5 }} ; {{ list }} ; {{ map }} ; {{ text }} ; {% assign y = map.a | size %} ; {% case map.a %}{% endcase %} ;
    {% capture y %}{{ list }}{% endcapture %} ; {% if list contains 3 %}{% endif %} ; {% render "row" %} ;
    {% unless list == map %}{% endunless %} ; {% if map.a | size %}{% endif %} ; {% for x in list %}{% endfor %}
  `)) {
    it(`is stopped before what may take long: ${step}`, () => {
      const meter = new Meter();
      const liquid = engine(meter);
      meter.start();
      expect(() => renderText(liquid, liquid.parse(`{{ slow }}${step}`), LATE, meter)).to.throw(
        'limit exceeded',
      );
    });
  }
});
