/** Messages that a template writes itself: each value is escaped for its place, and what a channel draws can be placed. */
import { mock } from 'node:test';
import { expect } from 'chai';
import fc from 'fast-check';
import type { TemplateValue } from '../../src/channels/channel.ts';
import { isObject, type SlackMessage, type SlackObject } from '../../src/channels/slack/message.ts';
import { hostileText } from '../text/hostile-text.ts';
import { BARE, problemsOf, rendererWith, targetOf } from './render-fixture.ts';
import { controlSequences, expectAcceptable, richRuns } from './slack-rules.ts';
import { sized } from '../support/test-size.ts';

const SLACK = targetOf('slack', 'own');
const OWN = { templateSet: 'own' };

function parsedOf({ text, blocks = [] }: SlackMessage): SlackMessage {
  const found: SlackObject[] = [];
  JSON.stringify(blocks, (_, value: TemplateValue) => {
    if (isObject(value) && value['type'] === 'mrkdwn') found.push(value);
    return value;
  });
  return { text, blocks: found };
}

describe('a Slack message of a template’s own', () => {
  const fileOf = (template: unknown) => ({ 'own/slack/succeeded.yaml': JSON.stringify(template) });
  const rendererOf = (template: unknown) => rendererWith(fileOf(template));
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
  afterEach(() => mock.restoreAll());

  it('is what Block Kit Builder gives, with values where they are', async () => {
    const button = { type: 'plain_text', text: 'Job' };
    const renderer = await rendererOf({
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'Done: {{ bot_name }}', emoji: true } },
        section('*{{ bot_name }}* took {{ elapsed }} <{{ job_url }}|Job {{ job_id }}>'),
        { type: 'divider' },
        { type: 'actions', elements: [{ type: 'button', text: button, url: '{{ job_url }}' }] },
      ],
    });
    expect(await renderer.check([SLACK])).to.deep.equal([]);
    const message = renderer.slack({ ...BARE, bot_name: 'A & *B* <!here>', elapsed_time: 3 }, OWN);
    expectAcceptable(message);
    expect(message.text).to.equal('✅ A &amp; *B* &lt;!here&gt; succeeded in 3 s');
    const text = '*A &amp; *B* &lt;!here&gt;* took 3 s <https://example.com/jobs/j-1|Job j-1>';
    expect(message.blocks?.slice(0, 2)).to.deep.equal([
      { type: 'header', text: { type: 'plain_text', text: 'Done: A & *B* <!here>', emoji: true } },
      { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } },
    ]);
  });

  it('has no values where they would act, whatever they say', async () => {
    const act =
      'a value of the callback cannot stand here, where no escaping makes it safe: write the text out, with {% if %} between several';
    const address =
      'an address can only be "job_url", "page_url", "incident_url", "link_url" or the "url" of a file, and it alone';
    const part = (more: object) => ({ type: 'rich_text_section', elements: [more] });
    const run = (more: object) => ({ type: 'rich_text', elements: [part(more)] });
    for (const [block, problem] of [
      [section('<@{{ bot_id }}>'), act],
      [section('<https://example.com/{{ bot_id }}|x>'), act],
      [section('<{{ bot_id }}|x>'), address],
      [run({ type: 'user', user_id: '{{ bot_id }}' }), act],
      [run({ type: 'link', url: '{{ message }}', text: 'x' }), address],
      [run({ type: 'link', url: 'https://example.com/?q={{ message }}', text: 'x' }), act],
      [{ type: 'markdown', text: '{{ message }}' }, act],
    ] as const)
      expect((await problemsOf(fileOf({ blocks: [block] }))).join()).to.include(problem);
    expect((await problemsOf(fileOf({ text: '<!{{ bot_id }}>' }))).join()).to.include(act);
  });

  it('has no values where they would act if another branch is printed, or a loop comes round again', async () => {
    const [link, none] = ['<https://example.com/', '{% for b in outputs %}{% endfor %}'];
    for (const [faults, text] of [
      [1, `${link}{% if code %}{% if attempt %}{% endif %}|{% endif %}{{ message }}|x>`],
      [1, `${link}{% if code %}|{%- else -%}{{ message }}|{% endif %}x>`],
      [1, `{% if code %}${link}{% endif %}{% if attempt %}|x>{% endif %}{{ message }}`],
      [1, `${link}{% case code %}{% when 1 %}|{% when 2 %}{% endcase %}{{ message }}`],
      [1, `{% for a in outputs %}${none}{% if code %}{{ message }}{% endif %}${link}{% endfor %}`],
      [0, `{% case code %}${link}{% when 1 %}{{ message }}{% else %}x{% endcase %}`],
      [0, `{% if code %}${link}|{% else %}<{{ job_url }}|{% endif %}{{ message }}>`],
      [1, `${none}>{% for a in outputs %}{{ message }}${link}{% endfor %}`],
      [1, `{% for a in outputs %}${link}{% break %}|x>{% endfor %}{{ message }}`],
      [1, `{% for a in outputs %}${link}{% continue %}|x>{% endfor %}{{ message }}`],
      [0, `{% for a in outputs %}>${none}{{ message }}${link}{% endfor %}`],
      [0, `{% for a in outputs %}{{ message }}${link}${none}>{% endfor %}`],
      [1, `${link}{% comment %}|{% endcomment %}{{ message }}|x>`],
      [0, `{% if code %}${link}|{% endif %}{{ message }}{% if code %}>{% endif %}`],
      [0, `{{ "}}${link}" }}{{ message }}`],
      [0, `{% for o in outputs %}<{{ job_url }}|{% if code %}a{% else %}b{% endif %}{{ o }}>{% endfor %}`],
    ] as const)
      expect(await problemsOf(fileOf({ text })), text).to.have.length(faults);
  });

  it('leads to no address that Botbell did not make, however it comes to be named so', async () => {
    const link = section(
      '{% assign job_url = message %}<{{ job_url }}|a>{% for f in output.evil %}<{{ f.url }}|b>{% endfor %}',
    );
    const renderer = await rendererOf({ text: 'x', blocks: [link] });
    expect(await renderer.check([SLACK])).to.deep.equal([]);
    const evil = 'https://evil.example/';
    const message = renderer.slack({ ...BARE, message: evil, output: { evil: [{ url: evil }] } }, OWN);
    expect(JSON.stringify(message)).not.to.include('evil');
  });

  it('is found at fault for a block that Slack would refuse, where it stands', async () => {
    const chosen = '{% if code == 0 %}divider{% else %}actions{% endif %}';
    const rich = { type: 'rich_text', text: '{{ x | link }}' };
    const blocks = [{ type: 'secton' }, { type: chosen }, { text: 'x' }, rich];
    expect(await problemsOf(fileOf({ blocks }))).to.deep.equal([
      '1:13: blocks[0].type is no type of a block; did you mean "section"?',
      '1:95: blocks[2] must be an object with a "type"',
      '1:108: blocks[3].elements is missing (Botbell 0.1.0 made it of "text"): write a section with mrkdwn, or a card, which Botbell draws as rich text',
      '1:136: there is no filter "link"; did you mean "find"?',
    ]);
  });

  it('is cut to what Slack takes, and whole, whatever the values', async () => {
    const field = { type: 'mrkdwn', text: '*{{ bot_name }}*\n{{ message }}' };
    const label = { type: 'plain_text', text: '{{ bot_name }}' };
    const button = { type: 'button', text: label, url: '{{ job_url }}' };
    const raw = (text: string) => ({ type: 'raw_text', text });
    const renderer = await rendererOf({
      text: '{{ bot_name }} ```{{ message }}```',
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: '{{ message }}' } },
        section('```{{ message }}``` <{{ job_url }}|{{ bot_name }}>'),
        { type: 'section', fields: Array.from({ length: 10 }, () => field) },
        { type: 'table', rows: ['b', '{{ message }}'].map((each) => [raw('{{ bot_name }}'), raw(each)]) },
        { type: 'context', elements: [{ type: 'mrkdwn', text: '{{ message }}' }] },
        { type: 'image', image_url: 'https://example.com/i.png', alt_text: '{{ bot_name }}' },
        { type: 'actions', elements: [button] },
        ...Array.from({ length: 30 }, () => section('{{ message }}')),
      ],
    });
    expect(await renderer.check([SLACK])).to.deep.equal([]);
    // However slow the machine, no rendering runs out of its time.
    mock.method(performance, 'now', () => 0);
    const text = fc
      .tuple(hostileText(), fc.integer({ min: 0, max: 300 }))
      .map(([part, count]) => part.replaceAll('`', "'").repeat(count));
    fc.assert(
      fc.property(text, text, (bot_name, message) => {
        const sent = renderer.slack({ ...BARE, bot_name, message }, OWN);
        expectAcceptable(sent);
        for (const control of controlSequences(parsedOf(sent)))
          expect(control).to.match(/^<https:\/\/example\.com\/jobs\/j-1(\||>)/);
        for (const run of richRuns(sent.blocks))
          expect(run['type']).to.be.oneOf(['text', 'raw_text', 'link']);
      }),
      { numRuns: sized(8, 100) },
    );
    expect(renderer.failures).to.deep.equal([]);
  });
});
