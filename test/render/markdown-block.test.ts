/** Values in the `markdown` block of a user's own template. */
import { expect } from 'chai';
import fc from 'fast-check';
import { escapeMarkdown } from '../../src/channels/slack/markup.ts';
import { cleanText } from '../../src/text/clean.ts';
import { BARE, templateFolder, testRenderer } from './render-fixture.ts';

const LETTERS = /[\p{L}\p{N}]/u;

describe('a markdown block', () => {
  const folder = templateFolder();

  const shown = (text: string, fields: object, links = {}) => {
    const template = JSON.stringify({ text: 'x', blocks: [{ type: 'markdown', text }] });
    const { path } = folder.write({ 'own/slack/succeeded.yaml': template });
    const renderer = testRenderer({ templatesFolder: path, links });
    expect(renderer.check([{ format: 'slack', templateSet: 'own', options: {} }])).to.deep.equal([]);
    const [block] = renderer.slack({ ...BARE, ...fields }, { templateSet: 'own' }).blocks ?? [];
    expect(renderer.failures).to.deep.equal([]);
    return block?.['text'];
  };

  const cases: Readonly<Record<string, readonly [string, string]>> = {
    'a link': ['[text](https://evil.example)', '\\[text\\]\\(https\\://evil.example\\)'],
    'an image': ['![x](y)', '\\!\\[x\\]\\(y\\)'],
    'emphasis and code': ['*a* __b__ `c` ~~d~~', '\\*a\\* \\_\\_b\\_\\_ \\`c\\` \\~\\~d\\~\\~'],
    'a heading, a list and a rule': ['# a\n- b\n1. c\n---\n===', '\\# a\n\\- b\n1\\. c\n\\---\n\\==='],
    'a table': ['| a |\n|---|', '\\| a \\|\n\\|---\\|'],
    'a quote, a tag and an entity': ['> <b> &lt;', '&gt; &lt;b&gt; &amp;lt;'],
    'what Slack itself would read': [
      '<!here> <@U1> @here :tada:',
      '&lt;\\!here&gt; &lt;@U1&gt; @\u2060here :\u2060tada:',
    ],
    'an address by itself': ['https://a.example www.b.example', 'https\\://a.example www\\.b.example'],
    'a backslash': ['a\\*', 'a\\\\\\*'],
    nothing: ['No 12.5 a-b a+b = 3', 'No 12.5 a-b a+b = 3'],
  };
  for (const [what, [value, escaped]] of Object.entries(cases)) {
    it(`shows of a value ${what} as it is`, () => {
      expect(shown('x {{ bot_name }}', { bot_name: `\n${value}` })).to.equal(`x \n${escaped}`);
    });
  }

  it('links where the template says so', () => {
    const links = { job: 'https://example.com/(j)/{{ job_id }}' };
    const fields = { bot_name: 'a]b', job_id: 'j_1' };
    expect(shown('{{ bot_name | link: job_url }}', fields, links)).to.equal(
      '[a\\]b](https://example.com/%28j%29/j%5F1)',
    );
    expect(shown('[Job]({{ job_url }})', fields, links)).to.equal('[Job](https://example.com/%28j%29/j%5F1)');
    expect(shown('[Q](https://example.com/?q={{ bot_name }})', fields)).to.equal(
      '[Q](https://example.com/?q=a%5Db)',
    );
  });

  it('leaves code as it is, but for backticks and mentions', () => {
    expect(shown('`{{ bot_name | code }}`', { bot_name: '*a* `b` & <!here>' })).to.equal(
      '`*a* ˋbˋ & <\u2060!here>`',
    );
  });

  it('has no unescaped mark of a value, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const escaped = escapeMarkdown(value);
        expect(escaped.replace(/\\[^\p{L}\p{N}\s]|&(?:amp|lt|gt);/gu, '')).not.to.match(/[\\`*_[\]()<>|~!]/);
        const letters = (text: string) =>
          Array.from(text)
            .filter((each) => LETTERS.test(each))
            .join('');
        expect(letters(escaped.replace(/&(?:amp|lt|gt);/g, ''))).to.equal(letters(cleanText(value)));
      }),
    );
  });
});
