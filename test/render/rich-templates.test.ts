/** Rich texts in users' own templates. */
import { expect } from 'chai';
import { slackFormat } from '../../src/channels/slack/format.ts';
import type { RenderTarget } from '../../src/render/templates/catalog.ts';
import { BARE, readFixture, templateFolder, testRenderer } from './render-fixture.ts';
import { expectAcceptable, richLinks, richRuns } from './slack-rules.ts';

const SLACK: RenderTarget = { format: 'slack', templateSet: 'own', options: {} };
const HOSTILE = '*a* <!here> <https://evil.example|x> `b` &lt; :tada:';

describe('a rich text in a user’s template', () => {
  const folder = templateFolder();

  const rendererWith = (files: Readonly<Record<string, string>>) =>
    testRenderer({ templatesFolder: folder.write(files).path });
  const render = (blocks: readonly unknown[], fields: object = {}) => {
    const renderer = rendererWith({ 'own/slack/succeeded.yaml': JSON.stringify({ text: 'x', blocks }) });
    expect(renderer.check([SLACK])).to.deep.equal([]);
    const message = renderer.slack({ ...BARE, ...fields }, { templateSet: 'own' });
    expect(renderer.failures).to.deep.equal([]);
    expectAcceptable(message);
    return message;
  };
  const rich = (text: string) => ({ type: 'rich_text', text });
  const shown = (text: string, fields: object = {}) => slackFormat.asText(render([rich(text)], fields));

  describe('is checked', () => {
    const problems = (block: string) =>
      rendererWith({ 'own/slack/succeeded.yaml': `text: x\nblocks:\n  - type: rich_text\n${block}` })
        .check([SLACK])
        .map(({ place, message }) => `${place.line}:${place.column}: ${message}`);

    it('for unknown variables and filters', () => {
      expect(problems('    text: "*{{ bot_nam }}*"\n')).to.deep.equal([
        '4:16: there is no variable "bot_nam"; did you mean "bot_name"?',
      ]);
    });

    it('for what is no text', () => {
      expect(problems('    text: [a]\n')).to.deep.equal(['4:11: must be a string']);
      expect(problems('    txt: a\n')).to.deep.equal(['3:5: a "rich_text" needs "text" or "elements"']);
    });

    it('for values where they would act whatever they say', () => {
      expect(problems('    text: "<@{{ bot_id }}>"\n').join()).to.include('no value is safe here');
    });
  });

  it('holds values as they are, in Block Kit’s own elements, too', () => {
    const run = { type: 'text', text: 'a {{ bot_name }}', style: { bold: true } };
    const elements = [{ type: 'rich_text_section', elements: [run] }];
    const rows = [[{ type: 'raw_text', text: '{{ bot_name }}' }, rich('*{{ bot_name }}*')]];
    const message = render(
      [
        { type: 'rich_text', elements },
        { type: 'table', rows },
      ],
      { bot_name: HOSTILE },
    );
    expect(richRuns(message.blocks)).to.deep.equal([
      { type: 'text', text: `a ${HOSTILE}`, style: { bold: true } },
      { type: 'raw_text', text: HOSTILE },
      { type: 'text', text: HOSTILE, style: { bold: true } },
    ]);
  });

  it('holds captured values as they are, and lets them be compared and measured', () => {
    const text =
      '{% capture x %}({{ bot_name }}){% endcapture %}{{ x }} {{ x.size }} {% if x == "(*b*)" %}same{% endif %} {{ x | upcase }}';
    expect(shown(text, { bot_name: '*b*' })).to.equal('(*b*) 5 same (*B*)');
  });

  it('leads where the template says, and nowhere else', () => {
    const text =
      '{{ bot_name | link: "https://example.com/1" }} <https://example.com/{{ bot_id }}|{{ bot_name }}> <{{ message }}|{{ bot_name }}>';
    const message = render([rich(text)], {
      bot_name: HOSTILE,
      message: 'javascript:alert(1)',
      bot_id: 'a|b>c',
    });
    expect(richLinks(message)).to.deep.equal([
      `${HOSTILE} <https://example.com/1>`,
      `${HOSTILE} <https://example.com/a%7Cb%3Ec>`,
    ]);
  });

  it('has one table, and shows others as lists', () => {
    const rows = [
      { a: '1', b: '*2*' },
      { a: '3', b: '' },
    ];
    const text = '{{ output.x | table }}\nand\n{{ output.x | table }}';
    const native = {
      type: 'table',
      rows: [
        [
          { type: 'raw_text', text: 'k' },
          { type: 'raw_text', text: 'l' },
        ],
        [
          { type: 'raw_text', text: '{{ bot_id }}' },
          { type: 'raw_text', text: '' },
        ],
      ],
    };
    const message = render([rich(text), native], { output: { x: rows }, bot_id: 'B' });
    expect(slackFormat.asText(message).split('\n')).to.deep.equal([
      'a | b',
      '1 | *2*',
      '3 | –',
      'and',
      '• a: 1 · b: *2*',
      '• a: 3 · b: –',
      '• k: B · l: –',
    ]);
  });

  it('may be the built-in one with a partial of one’s own', () => {
    const renderer = rendererWith({ 'en/slack/_outputs.liquid': '• *{{ outputs.size }}* values' });
    const message = renderer.slack(readFixture('succeeded.json'));
    expect(richRuns(message.blocks)).to.deep.include({ type: 'text', text: '2', style: { bold: true } });
    expect(slackFormat.asText(message)).to.include('\n• 2 values\n');
  });

  it('takes a text that shows nothing for none where there is a default', () => {
    for (const message of ['', ' \u200b\u3000', null])
      expect(shown('{{ message | default: "none" }}', { message })).to.equal('none');
    expect(shown('{{ message | default: "none" }}', { message: ' a' })).to.equal(' a');
  });

  it('leaves out what has no room among files: their links first, then files, which are counted', () => {
    const files = [1, 2, 3].map((n) => ({
      ref: `jobs/1/files/${'x'.repeat(60)}${n}`,
      meta: { name: `${n}.csv` },
    }));
    const renderer = testRenderer({
      links: { file: 'https://example.com/{{ ref }}' },
      templatesFolder: folder.write({
        'own/slack/succeeded.yaml': JSON.stringify({
          text: 'x',
          blocks: [rich('{{ outputs[0].files | file_lines: 9, 130 }}')],
        }),
      }).path,
    });
    const callback = { ...BARE, output: { f: { type: 'files', files } } };
    const message = renderer.slack(callback, { templateSet: 'own' });
    expect(richLinks(message)).to.have.lengthOf(1);
    expect(slackFormat.asText(message)).to.match(/^📎 1\.csv \(https.*1\)\n📎 2\.csv\n📎 3\.csv$/);
  });
});
