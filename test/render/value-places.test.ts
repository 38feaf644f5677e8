/** Where the values of a template's own message are printed: a property over templates of branches and loops, against their prints. */
import { expect } from 'chai';
import fc from 'fast-check';
import { Liquid } from 'liquidjs';
import { ownMails } from '../../src/channels/email/format.ts';
import { slackMessages } from '../../src/channels/slack/format.ts';
import { guarded } from '../../src/render/value-places.ts';
import { sized } from '../support/test-size.ts';

const MARKUP = {
  Slack: ['<', '<https://example.com/', '|', '>', 'a '],
  HTML: ['<p title=', '<a href="', '"', "'", '>', ' x="', '<!--', '-->', '</a>', 'a '],
};
const KINDS = { Slack: slackMessages.textAt(['text'], ''), HTML: ownMails.textAt(['html']) };

const VALUE = '{{ v }}';

const templateOf = (markup: readonly string[]) =>
  fc.letrec<{ part: string; all: string }>((tie) => ({
    part: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 4, arbitrary: fc.constantFrom(...markup) },
      { weight: 3, arbitrary: fc.constant(VALUE) },
      fc
        .tuple(fc.constantFrom('a', 'b', 'c'), tie('all'), tie('all'))
        .map(([on, yes, no]) => `{% if ${on} %}${yes}{% else %}${no}{% endif %}`),
      fc
        .tuple(fc.constantFrom('a', 'b', 'c'), tie('all'))
        .map(([on, yes]) => `{% unless ${on} %}${yes}{% endunless %}`),
      tie('all').map((all) => `{% for n in list %}${all}{% endfor %}`),
      fc.constantFrom(...markup).map((text) => `{% comment %}${text}{% endcomment %}`),
    ),
    all: fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
  })).all;

const CASES = Array.from({ length: 24 }, (_, bits) => ({
  a: (bits & 1) > 0,
  b: (bits & 2) > 0,
  c: (bits & 4) > 0,
  list: Array.from({ length: bits >> 3 }, () => 1),
  v: '\u0001',
}));

describe('A value in a message of a template’s own', () => {
  for (const name of ['Slack', 'HTML'] as const)
    it(`is text wherever it is printed, whichever branches are and how often loops come round, on ${name}`, () => {
      const [liquid, kind] = [new Liquid(), KINDS[name]];
      fc.assert(
        fc.property(templateOf(MARKUP[name]), (template) => {
          fc.pre(template.includes(VALUE) && guarded(template, kind).faults.length === 0);
          for (const values of CASES) {
            const printed = String(liquid.parseAndRenderSync(template, values));
            for (let at = printed.indexOf('\u0001'); at !== -1; at = printed.indexOf('\u0001', at + 1))
              expect(kind.placeOf(printed.slice(0, at), ''), `${template} → ${printed}`).to.equal('text');
          }
        }),
        // Of broken tags that no browser would read so, one in some 50,000 templates is judged more strictly once it is printed.
        { seed: 1, numRuns: sized(1000, 10_000), maxSkipsPerRun: 1000 },
      );
    });
});
