import { expect } from 'chai';
import fc from 'fast-check';
import { createEngine, renderText } from '../../src/render/liquid/engine.ts';
import { Meter } from '../../src/render/liquid/print-value.ts';
import { MARKUPS, type MarkupName } from '../support/markups.ts';

interface Parts {
  readonly language?: 'en' | 'ja';
  readonly partials?: Readonly<Record<string, string>>;
}

function print(
  markup: MarkupName,
  template: string,
  view: object,
  { language = 'en', partials = {} }: Parts = {},
): string {
  const meter = new Meter();
  const liquid = createEngine({
    markup: MARKUPS[markup],
    display: { timezone: 'Asia/Tokyo', language, links: {} },
    meter,
    partials,
  });
  meter.start();
  return renderText(liquid, liquid.parse(template), view, meter);
}

describe('an engine', () => {
  it('escapes values for where they land, and the template’s own text not', () => {
    const view = { x: '<!here> & "y"\nz' };
    expect(print('mrkdwn', '<b> {{ x }}', view)).to.equal('<b> &lt;!here&gt; &amp; "y"\nz');
    expect(print('html', '<b> {{ x }}', view)).to.equal('<b> &lt;!here&gt; &amp; &quot;y&quot;\nz');
    expect(print('line', '<b> {{ x }}', view)).to.equal('<b> <!here> & "y" z');
    expect(print('text', '{{ x }}', view)).to.equal(view.x);
    expect(print('url', 'https://x/{{ x }}', { x: 'a b/c' })).to.equal('https://x/a%20b%2Fc');
  });

  it('prints numbers and booleans as they are, nothing for what is absent, anything else as compact JSON', () => {
    const view = { n: 3, t: true, f: false, nil: null, list: [1, 'a'], map: { a: { b: null } } };
    expect(
      print('text', '{{ n }} {{ t }} {{ f }} [{{ nil }}{{ none }}] {{ list }} {{ map }}', view),
    ).to.equal('3 true false [] [1,"a"] {"a":{"b":null}}');
  });

  it('escapes what comes out of any filter or tag', () => {
    const view = { x: '<', list: ['<'] };
    for (const template of [
      '{{ x | append: "<" }}',
      '{{ x | escape | append: "<" }}',
      '{% echo x %}{% echo x %}',
      '{% cycle x, x %}{% cycle x, x %}',
      '{% assign y = x %}{{ y }}{{ y }}',
      '{% for y in list %}{{ y }}{{ y }}{% endfor %}',
      '{% capture y %}{{ x }}{{ x }}{% endcapture %}{{ y }}',
      '{% render "part", x: x %}{{ x }}',
      '{% liquid echo x\n echo x %}',
    ]) {
      expect(print('html', template, view, { partials: { part: '{{ x }}' } }), template).to.equal('&lt;&lt;');
    }
  });

  it('lets what is captured be compared, measured and searched like any text', () => {
    const capture = '{% capture a %}{{ x }}{% endcapture %}';
    const truth = (condition: string, x: string) =>
      print('html', `${capture}{% if ${condition} %}yes{% endif %}`, { x });
    expect(truth('a == "text"', 'text')).to.equal('yes');
    expect(truth('a != ""', 'text')).to.equal('yes');
    expect(truth('a == blank', ' ')).to.equal('yes');
    expect(truth('a contains "ex"', 'text')).to.equal('yes');
    expect(truth('a.size == 4', 'text')).to.equal('yes');
    expect(truth('a < "u" and a > "s" and a <= "text" and a >= "text"', 'text')).to.equal('yes');
    expect(truth('a == "other"', 'text')).to.equal('');
  });

  it('shows nothing of a value but what is its own', () => {
    const view = { x: 'a', map: JSON.parse('{"__proto__": "p", "constructor": "c"}') as object };
    expect(
      print(
        'text',
        '{{ x.constructor }}{{ x.toString }}[{{ map.toString }}]{{ map.__proto__ }}{{ map.constructor }}',
        view,
      ),
    ).to.equal('[]pc');
  });

  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf']) {
    it(`finds no partial, layout, filter or tag "${name}" among what every object has`, () => {
      for (const template of [
        `{% render "${name}" %}`,
        `{% include "${name}" %}`,
        `{% layout "${name}" %}`,
        `{% assign x = "${name}" %}{% render x %}`,
      ])
        expect(() => print('text', template, {}), template).to.throw(/ENOENT|illegal file path/);
      expect(() => print('text', `{{ "x" | ${name} }}`, {})).to.throw(/undefined filter/);
      expect(() => print('text', `{% ${name} %}`, {})).to.throw(/tag .* not found/);
    });

    it(`takes a partial, a block or a variable named "${name}" as any other`, () => {
      const partials = Object.fromEntries([
        [name, `[{{ ${name} }}]`],
        ['frame', `<{% block ${name} %}theirs{% endblock %}>`],
      ]);
      expect(print('text', `{% render "${name}" %}`, {}, { partials })).to.equal('[]');
      expect(print('text', `{% block ${name} %}mine{% endblock %}`, {})).to.equal('mine');
      const layout = '{% layout "frame" %}';
      expect(print('text', layout, {}, { partials })).to.equal('<theirs>');
      expect(print('text', `${layout}{% block ${name} %}mine{% endblock %}`, {}, { partials })).to.equal(
        '<mine>',
      );
      expect(print('text', `{% assign ${name} = 1 %}{{ ${name} }}`, {})).to.equal('1');
      const own = Object.fromEntries([[name, 'own']]);
      expect(print('text', `{{ x.${name} }}{{ x["${name}"] }}[{{ y.${name} }}]`, { x: own, y: {} })).to.equal(
        'ownown[]',
      );
      expect(
        print('text', `{{ x | map: "${name}" | first }}[{{ y | map: "${name}" | first }}]`, {
          x: [own],
          y: [{}],
        }),
      ).to.equal('own[]');
    });
  }

  it('ends partials that render each other, by whatever tag, before they take all of the stack', () => {
    for (const tag of ['render "b"', 'include "b"', 'layout "b"', 'render "b" with x', 'render "b" for x']) {
      const partials = { a: `{% ${tag} %}`, b: '{% render "a", x: x %}' };
      expect(() => print('text', '{% render "a", x: x %}', { x: [1] }, { partials }), tag).to.throw(
        /partials render each other more than 100 deep/,
      );
    }
  });

  it('lets a partial render itself as deep as a callback can be nested', () => {
    const nested = JSON.parse(`${'['.repeat(64)}"x"${']'.repeat(64)}`) as unknown;
    const partials = {
      tree: '{% if item.first %}({% for each in item %}{% render "tree", item: each %}{% endfor %}){% else %}{{ item }}{% endif %}',
    };
    const text = print(
      'text',
      '{% render "tree", item: x %}{% render "tree", item: x %}',
      { x: nested },
      { partials },
    );
    expect(text).to.equal(`${'('.repeat(64)}x${')'.repeat(64)}`.repeat(2));
  });

  it('cuts a value that alone would fill a Slack section, keeping both ends', () => {
    const text = print('mrkdwn', '{{ x }}', { x: `begin${'&'.repeat(9000)}end` }, { language: 'ja' });
    expect(text).to.have.lengthOf.at.most(2400);
    expect(text).to.match(/^begin(?:&amp;)+\n……（[\d,]+文字省略）……\n(?:&amp;)+end$/);
  });

  it('keeps HTML below what mail readers clip, and short values whole, however many long ones stand before them', () => {
    const text = print('html', '{% for x in list %}{{ x }}{% endfor %}{{ id }}', {
      list: Array(60).fill('あ'.repeat(3000)) as string[],
      id: 'い'.repeat(100),
    });
    expect(Buffer.byteLength(text)).to.be.at.most(80_000);
    expect(text).to.match(/characters left out …\nあ+い{100}$/);
  });

  it('writes a text as it was sent, within its room', () => {
    const view = { x: 'a\n  b https://example.com/?q=1&r=2' };
    expect(print('html', '{{ x | multiline }}', view)).to.match(
      /^a<br>&nbsp; b <a href="https:\/\/example\.com\/\?q=1&amp;r=2"[^>]*>https:\/\/example\.com\/\?q=1&amp;r=2<\/a>$/,
    );
    expect(print('html', '{{ x | newline_to_br }}', view)).to.equal(
      'a<br>&nbsp; b https://example.com/?q=1&amp;r=2',
    );
    expect(print('text', '{{ x | multiline }}', view)).to.equal(view.x);
    const long = { x: `https://example.com/${'あ'.repeat(900)} end` };
    for (const markup of ['html', 'text'] as const) {
      const cut = print(markup, '{{ x | multiline: 400 }}', long);
      expect(Buffer.byteLength(cut)).to.be.at.most(400);
      expect(cut)
        .to.match(/characters left out/)
        .and.not.to.include('<a ');
    }
  });

  it('prints an address alone as it is, and part of another as a part', () => {
    const view = { url: 'https://example.com/a?b=c&d=_e_' };
    expect(print('whole-url', '{{ url }}', view)).to.equal(view.url);
    expect(print('url', 'https://x/?to={{ url }}', view)).to.equal(
      `https://x/?to=${encodeURIComponent(view.url)}`,
    );
    expect(print('mrkdwn', '<{{ url }}|x>', view)).to.equal('<https://example.com/a?b=c&amp;d=%5Fe%5F|x>');
    expect(print('whole-url', '{{ url }}', { url: 'javascript:x' })).to.equal('javascript%3Ax');
  });

  it('keeps a code fence closed and its text as it is', () => {
    expect(print('mrkdwn', '```{{ x | code }}```', { x: 'a *b* _c_ <d> ```e' })).to.equal(
      '```a *b* _c_ &lt;d&gt; ˋˋˋe```',
    );
  });

  it('lets a link say and lead only what it may', () => {
    const link = (markup: MarkupName, label: string, url: unknown) =>
      print(markup, '{{ label | link: url }}', { label, url });
    expect(link('mrkdwn', 'a|b>\nc', 'https://x.example/|y')).to.equal('<https://x.example/%7Cy|a¦b&gt; c>');
    expect(link('html', '<a>', 'https://x.example/"y')).to.equal('&lt;a&gt;');
    expect(link('html', '<a>', "https://x.example/'y")).to.match(
      /^<a href="https:\/\/x\.example\/%27y" [^>]*>&lt;a&gt;<\/a>$/,
    );
    expect(link('text', 'a', 'https://x.example/y')).to.equal('a <https://x.example/y>');
    const ofSeveral =
      '{% capture words %}a \n\n b  c{% endcapture %}{{ words | link: "https://x.example/y" }}';
    expect(print('mrkdwn', ofSeveral, {})).to.equal('<https://x.example/y|a b  c>');
    expect(link('plain', 'a', 'https://x.example/y')).to.equal('a');
    for (const url of ['', null, 5, 'javascript:x', 'https://'])
      expect(link('mrkdwn', 'a', url)).to.equal('a');
  });

  it('reads a time without an offset in the display’s time zone', () => {
    const view = { x: '2026-11-20T12:00:00' };
    expect(print('text', '{{ x | date: "%Y-%m-%d %H:%M %z" }}', view)).to.equal('2026-11-20 12:00 +0900');
    expect(print('text', '{{ x | localtime }}', view)).to.equal('20 Nov 2026, 12:00:00 (GMT+9)');
    expect(print('text', '{{ "soon" | localtime }}', view)).to.equal('soon');
  });

  it('formats numbers, also those carried as strings, and leaves the rest as it came', () => {
    expect(
      print(
        'text',
        '{{ "1234" | number }} {{ 61 | elapsed }} {{ "1.5" | filesize }} {{ "x" | number }}{{ nil | elapsed }}',
        {},
      ),
    ).to.equal('1,234 1 min 1 s 1.5 x');
  });

  it('lets nothing through that could act on Slack, whatever filters it went through', () => {
    const filters = [
      'fit: 20',
      'inline',
      'code',
      'upcase',
      'slice: 1, 30',
      'truncate: 9',
      'strip_html',
      'json',
      'lines',
      'newline_to_br',
    ];
    const text = fc.string({
      unit: fc.constantFrom('<', '>', '!', '@', 'here', '&', 'lt;', '`', '|', '\n', '\ud800', '👨‍👩‍👧‍👦'),
    });
    fc.assert(
      fc.property(text, fc.subarray(filters), (x, chain) => {
        const printed = print('mrkdwn', `{{ ${['x', ...chain].join(' | ')} }}`, { x });
        expect(printed).not.to.match(/[<>]|&(?!(?:amp|lt|gt);)|`|@here/);
        expect(printed.isWellFormed()).to.equal(true);
      }),
      { numRuns: 200 },
    );
  });
});
