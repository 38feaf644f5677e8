/** A value that a template prints into markup of its own can do no more there than in a text. */
import { expect } from 'chai';
import { callbackWith, noticeAbout } from '../support/callbacks.ts';
import { positionInHtml } from '../../src/channels/email/markup.ts';
import { positionInMrkdwn } from '../../src/channels/slack/markup.ts';
import type { ValuePosition } from '../../src/channels/markup.ts';
import { templateFolder, testRenderer } from './render-fixture.ts';

type Case = readonly [template: string, position: ValuePosition];

/** Of the value named `x`. */
const MRKDWN: readonly Case[] = [
  ['{{ x }}', 'content'],
  ['Hello <https://a.test|words> {{ x }}', 'content'],
  ['<{{ x }}|Report>', 'address'],
  ['<{% if y %}{{ x }}{% endif %}>', 'address'],
  ['<https://a.test/{{ x }}|Report>', 'part of an address'],
  ['<https://a.test/{{ y }}/{{ x }}>', 'part of an address'],
  ['<https://a.test/{{ y }}|{{ x }}>', 'content'],
  ['<mailto:{{ x }}|write>', 'part of an address'],
  ['<@{{ x }}>', 'nowhere'],
  ['<!subteam^{{ x }}>', 'nowhere'],
  ['<{{ y }}{{ x }}>', 'nowhere'],
  ['fewer < {{ x }} > more', 'content'],
  ['a<{{ x }} is no link', 'content'],
];

const HTML: readonly Case[] = [
  ['<p>{{ x }}</p>', 'content'],
  ['<td width="30%" style="color:{{ x }}">', 'content'],
  ["<td title='{{ x }}'>", 'content'],
  ['<td title="a > b">{{ x }}', 'content'],
  ['1 < 2 {{ x }}', 'content'],
  ['<!-- {{ y }} --><p>{{ x }}', 'content'],
  ['<style>p { color: red }</style><p>{{ x }}', 'content'],
  ['<a href="{{ x }}">', 'address'],
  ["<img src=' {{ x }}'>", 'address'],
  ['<a href="https://a.test/{{ y }}?q={{ x }}">', 'part of an address'],
  ['<a href="javascript:{{ x }}">', 'nowhere'],
  ['<a href={{ x }}>', 'nowhere'],
  ['<a {{ x }}>', 'nowhere'],
  ['<{{ x }}>', 'nowhere'],
  ['<{{ y }} {{ x }}>', 'nowhere'],
  ['</{{ x }}>', 'nowhere'],
  ['<p onclick="f({{ x }})">', 'nowhere'],
  ['<iframe srcdoc="{{ x }}">', 'nowhere'],
  ['<script>var a = "{{ x }}";</script>', 'nowhere'],
  ['<style>p { {{ x }} }</style>', 'nowhere'],
];

describe('where a value stands', () => {
  const offsetOf = (template: string) => template.indexOf('{{ x }}');

  for (const [template, position] of MRKDWN) {
    it(`is ${position} in the mrkdwn ${template}`, () =>
      expect(positionInMrkdwn(template, offsetOf(template))).to.equal(position));
  }

  for (const [template, position] of HTML) {
    it(`is ${position} in the HTML ${template}`, () =>
      expect(positionInHtml(template, offsetOf(template))).to.equal(position));
  }
});

describe('a value inside the markup of a user’s template', () => {
  const folder = templateFolder();

  const SLACK = { format: 'slack', templateSet: 'own', options: {} };
  const EMAIL = { ...SLACK, format: 'email' };
  const rendererWith = (format: string, file: string) =>
    testRenderer({ templatesFolder: folder.write({ [`own/${format}/succeeded.yaml`]: file }).path });

  function slackText(template: string, message: string): string {
    const renderer = rendererWith('slack', `text: '${template}'\n`);
    return (
      renderer.render(noticeAbout(callbackWith({ message }), 1), SLACK, () => undefined) as { text: string }
    ).text;
  }

  function html(template: string, message: string): string {
    const renderer = rendererWith('email', `subject: x\ntext: x\nhtml: '${template}'\n`);
    return (
      renderer.render(noticeAbout(callbackWith({ message }), 1), EMAIL, () => undefined) as { html: string }
    ).html;
  }

  it('leads where it says, in Slack', () => {
    expect(slackText('<{{ message }}|Report>', 'https://a.test/?b=1&c=2')).to.equal(
      '<https://a.test/?b=1&amp;c=2|Report>',
    );
    expect(slackText('<https://a.test/{{ message }}|Report>', 'a/b c|d')).to.equal(
      '<https://a.test/a%2Fb%20c%7Cd|Report>',
    );
  });

  it('mentions nobody, in Slack', () => {
    for (const mention of ['!channel', '@U12345', '#C12345', '!subteam^S1', 'javascript:alert(1)']) {
      expect(slackText('<{{ message }}|Report>', mention), mention).to.equal('<|Report>');
    }
  });

  it('leads where it says, in mail', () => {
    expect(html('<a href="{{ message }}">x</a>', 'https://a.test/?b=1&c="2"')).to.equal('<a href="">x</a>');
    expect(html('<a href="{{ message }}">x</a>', 'https://a.test/?b=1&c=2')).to.equal(
      '<a href="https://a.test/?b=1&amp;c=2">x</a>',
    );
    expect(html('<a href="{{ message }}">x</a>', 'javascript:alert(1)')).to.equal('<a href="">x</a>');
    expect(html('<a href="https://a.test/{{ message }}">x</a>', '"><script>')).to.equal(
      '<a href="https://a.test/%22%3E%3Cscript%3E">x</a>',
    );
  });

  it('is refused where nothing makes it harmless: the built-in template is used', () => {
    expect(html('<a href={{ message }}>x</a>', 'x onmouseover=alert(1)')).not.to.include('<a href=x');
    expect(slackText('<!subteam^{{ message }}>', 'S1')).not.to.include('<!subteam');
  });

  it('is refused where a tag would print it for a text into an address', () => {
    const tags = [
      '{% echo message %}',
      '{% cycle message %}',
      '{% liquid echo message %}',
      '{% render "p" %}',
      '{% include "p" %}',
      '{% block p %}{% endblock %}',
    ];
    for (const tag of tags) {
      const files = {
        'own/slack/succeeded.yaml': `text: '<${tag}|x>'\n`,
        'own/slack/_p.liquid': '{{ message }}',
      };
      const [problem] = testRenderer({ templatesFolder: folder.write(files).path }).check([SLACK]);
      expect(problem?.message, tag).to.match(/^no value is safe here/);
      const text = testRenderer({
        templatesFolder: folder.write({ 'own/slack/succeeded.yaml': `text: '${tag}'\n` }).path,
      });
      expect(text.check([SLACK]), `${tag} in a text`).to.deep.equal([]);
    }
  });

  it('is an address inside the tags that only choose', () => {
    for (const [open, close] of [
      ['{% if true %}', '{% endif %}'],
      ['{% for i in (1..1) %}', '{% endfor %}'],
      ['{% case 1 %}{% when 1 %}', '{% endcase %}'],
    ]) {
      expect(slackText(`<${open}{{ message }}${close}|x>`, '!channel')).to.equal('<|x>');
      expect(slackText(`<${open}{{ message }}${close}|x>`, 'https://a.test/')).to.equal(
        '<https://a.test/|x>',
      );
    }
  });

  it('is refused by the check, with its place', () => {
    const problems = rendererWith('slack', "text: 'Hello <@{{ message }}>'\n").check([SLACK]);
    expect(problems.map(({ place, message }) => `${place.line}:${place.column}: ${message}`)).to.deep.equal([
      '1:16: no value is safe here: print it as text, between the quotes of an attribute, or as an address with the filter "link"',
    ]);
  });
});
