import { rmSync, symlinkSync } from 'node:fs';
import { expect } from 'chai';
import type { RenderTarget } from '../../src/render/templates/catalog.ts';
import { slackFormat } from '../../src/channels/slack/format.ts';
import { BARE, readFixture, templateFolder, testRenderer } from './render-fixture.ts';
import { expectAcceptable } from './slack-rules.ts';

const SLACK: RenderTarget = { format: 'slack', templateSet: 'own', options: {} };

describe('a user’s templates', () => {
  const folder = templateFolder();

  const rendererWith = (files: Readonly<Record<string, string>>) =>
    testRenderer({ templatesFolder: folder.write(files).path });
  const problemsOf = (text: string, target = SLACK) =>
    rendererWith({ [`own/${target.format}/succeeded.yaml`]: text })
      .check([target])
      .map(({ place, message }) => `${place.line}:${place.column}: ${message}`);

  describe('are checked', () => {
    const faults: readonly (readonly [string, string, readonly string[]])[] = [
      [
        'an unknown variable, with the nearest name',
        'text: done\nblocks:\n  - type: header\n    text: { type: plain_text, text: "{{ bot_nmae }}" }\n',
        ['4:41: there is no variable "bot_nmae"; did you mean "bot_name"?'],
      ],
      [
        'an unknown variable inside a block of text',
        'text: |\n  Hello\n  {{ bot_name }} {{ elapsd }}\n',
        ['3:21: there is no variable "elapsd"; did you mean "elapsed"?'],
      ],
      [
        'an unknown filter, with the nearest name',
        'text: "{{ bot_name | upcas }}"\n',
        ['1:8: there is no filter "upcas"; did you mean "upcase"?'],
      ],
      [
        'the filter that would let values act',
        'text: "{{ message | raw }}"\n',
        [
          '1:8: there is no filter "raw": values are always escaped here; write markup in the template itself',
        ],
      ],
      [
        'an unknown tag',
        'text: "{% caputre x %}"\n',
        ['1:8: there is no tag "caputre"; did you mean "capture"?'],
      ],
      [
        'a variable and a block at once',
        'text: "{{ bot_nam }}"\nblocks:\n  - type: sectoin\n    text: { type: mrkdwn, text: "{{ message }}" }\n',
        [
          '1:11: there is no variable "bot_nam"; did you mean "bot_name"?',
          '3:11: "sectoin" cannot stand here; did you mean "section"?',
        ],
      ],
      [
        'a filter and a variable at once',
        'text: "{{ bot_name | upcas }}"\nblocks:\n  - type: section\n    text: { type: mrkdwn, text: "{{ messag }}" }\n',
        [
          '1:8: there is no filter "upcas"; did you mean "upcase"?',
          '4:37: there is no variable "messag"; did you mean "message"?',
        ],
      ],
      ['a tag that is not closed', 'text: "{% if message %}x"\n', ['1:8: tag {% if message %} not closed']],
      [
        'what is nested without end',
        `text: "{{ ${'a['.repeat(20_000)}b${']'.repeat(20_000)} }}"\n`,
        ['1:8: nested too deep'],
      ],
      [
        'an unknown partial',
        'text: \'{% render "output" %}\'\n',
        ['1:8: there is no partial "_output.liquid"; did you mean "outputs"?'],
      ],
      [
        'Liquid that is not quoted',
        'text: {{ bot_name }}\n',
        ['1:7: a value that begins with {{ or {% is read as a YAML map: put the whole value in quotes'],
      ],
      ['an unknown part', 'txt: hello\n', ['1:1: unknown part "txt"; did you mean "text"?']],
      [
        'a part of the wrong kind',
        'text: [a]\nblocks: b\n',
        ['1:7: "text" must be a string', '2:9: "blocks" must be a list'],
      ],
      ['an empty file', '# nothing yet\n', ['1:1: a template is a map that gives "text", "blocks"']],
      [
        'what Slack would refuse, where it stands',
        'blocks:\n  - type: secton\n    text: { type: mrkdwn, text: x }\n  - type: header\n    text: { type: mrkdwn, text: x }\n',
        [
          '2:11: "secton" cannot stand here; did you mean "section"?',
          '5:19: "mrkdwn" cannot stand here: one of plain_text',
        ],
      ],
      [
        'a loop that never ends in time',
        'text: "{% for a in (1..900000) %}{% for b in (1..900000) %}{{ a }}{% endfor %}{% endfor %}"\n',
        ['1:34: memory alloc limit exceeded'],
      ],
    ];
    for (const [fault, text, expected] of faults) {
      it(`for ${fault}`, () => {
        // However slow the machine, none runs out of its time before it runs into another limit.
        const now = performance.now.bind(performance);
        performance.now = () => 0;
        try {
          expect(problemsOf(text)).to.deep.equal(expected);
        } finally {
          performance.now = now;
        }
      });
    }

    it('for a required part that is missing', () => {
      expect(problemsOf('subject: hello\n', { ...SLACK, format: 'email' })).to.deep.equal([
        '1:1: "text" is missing',
      ]);
    });

    it('for a fault inside a partial, in the partial’s file', () => {
      const problems = rendererWith({
        'own/slack/_line.liquid': 'one\n{{ nobody }}',
        'own/slack/succeeded.yaml': 'text: \'{% render "line" %}\'\n',
      }).check([SLACK]);
      expect(problems).to.deep.equal([
        {
          place: { file: `${folder.path}/own/slack/_line.liquid`, line: 2, column: 4 },
          message: 'there is no variable "nobody"',
          severity: 'error',
        },
      ]);
    });

    it('for a set that has no folder, at the place that asks for it', () => {
      const place = { file: 'botbell.yaml', line: 9, column: 19 };
      const target = { ...SLACK, templateSet: 'owm', place };
      expect(rendererWith({ 'own/slack/succeeded.yaml': 'text: x' }).check([target])).to.deep.equal([
        { place, message: 'there is no template set "owm"; did you mean "own"?', severity: 'error' },
      ]);
    });

    it('for a file that no status uses', () => {
      const [problem] = rendererWith({ 'own/slack/succeded.yaml': 'text: x' }).check([SLACK]);
      expect(problem?.severity).to.equal('warning');
      expect(problem?.message).to.equal(
        'nothing uses the file "succeded.yaml"; did you mean "succeeded.yaml"?',
      );
    });

    it('for JSON that was pasted into a file of its own', () => {
      const [problem] = rendererWith({ 'own/slack/error.json': '{"blocks":[]}' }).check([SLACK]);
      expect(problem?.message).to.include('nothing uses the file "error.json"').and.include('error.yaml');
    });

    it('for a folder that cannot be read', () => {
      const [problem] = testRenderer({ templatesFolder: `${folder.path}/none` }).check([]);
      expect(problem).to.include({ severity: 'error', message: 'this folder of templates cannot be read' });
    });

    it('only where a target uses them', () => {
      const renderer = rendererWith({ 'own/slack/succeeded.yaml': 'text: "{{ nobody }}"' });
      expect(renderer.check([{ ...SLACK, templateSet: undefined }])).to.deep.equal([]);
    });
  });

  describe('are found', () => {
    it('in the user’s folder before the built-in one', () => {
      const renderer = rendererWith({ 'en/slack/succeeded.yaml': 'text: "mine: {{ bot_name }}"' });
      expect(renderer.slack(BARE)).to.deep.equal({ text: 'mine: Get items' });
      expect(renderer.slack({ ...BARE, status: 2 }).text).to.include('is running');
    });

    it('in the set that the route names, and in the language’s where that lacks a file', () => {
      const renderer = rendererWith({
        'own/slack/succeeded.yaml': 'text: own',
        'en/slack/error.yaml': 'text: "english: {{ message }}"',
      });
      const options = { templateSet: 'own' };
      expect(renderer.slack(BARE, options).text).to.equal('own');
      expect(renderer.slack({ ...BARE, status: 1, message: 'm' }, options).text).to.equal('english: m');
      expect(renderer.slack({ ...BARE, status: 2 }, options).text).to.include('is running');
      expect(renderer.email(BARE, options).subject).to.equal('[Succeeded] Get items');
    });

    it('in another language than the display’s', () => {
      expect(testRenderer().slack(BARE, { templateSet: 'ja' }).text).to.equal('✅ Get items が成功しました');
    });

    it('with a partial of the user’s in place of the built-in one', () => {
      const renderer = rendererWith({ 'en/slack/_outputs.liquid': '{{ outputs.size }} values' });
      const text = slackFormat.asText(renderer.slack(readFixture('succeeded.json')));
      expect(text).to.include('\n2 values\n').and.not.to.include('件数');
    });
  });

  describe('leave to the built-in one', () => {
    it('the notification line that JSON from Block Kit Builder does not have', () => {
      const json = JSON.stringify({
        blocks: [
          { type: 'section', text: { type: 'mrkdwn', text: 'Hello, *{{ bot_name }}*' } },
          {
            type: 'actions',
            elements: [
              {
                type: 'button',
                text: { type: 'plain_text', text: 'Open', emoji: true },
                url: '{{ job_url }}',
              },
            ],
          },
        ],
      });
      const renderer = rendererWith({ 'own/slack/succeeded.yaml': json });
      expect(renderer.check([SLACK])).to.deep.equal([]);
      const message = renderer.slack(BARE, { templateSet: 'own' });
      expect(message.text).to.equal('✅ Get items succeeded');
      // No link is configured, so the button has nowhere to lead.
      expect(message.blocks).to.deep.equal([
        { type: 'section', text: { type: 'mrkdwn', text: 'Hello, *Get items*', verbatim: true } },
      ]);
    });

    it('the subject of a mail, but not its HTML', () => {
      const message = rendererWith({ 'own/email/succeeded.yaml': 'text: "1 < 2, {{ bot_name }}"' }).email(
        BARE,
        {
          templateSet: 'own',
        },
      );
      expect(message.subject).to.equal('[Succeeded] Get items');
      expect(message.html)
        .to.include('1 &lt; 2, Get items')
        .and.to.match(/^<pre /);
    });
  });

  describe('that fail while rendering', () => {
    const files = {
      'own/slack/error.yaml': 'text: "{{ message | fit: output.length }}"',
      'own/email/error.yaml': 'text: "{{ bot_name"',
    };

    it('give way to the built-in one, and somebody is told', () => {
      const renderer = rendererWith(files);
      const message = renderer.slack({ ...BARE, status: 1, message: 'broken' }, { templateSet: 'own' });
      expect(message.text).to.equal('❌ Get items failed: broken');
      expectAcceptable(message);
      expect(renderer.failures).to.deep.equal([
        {
          set: 'own',
          format: 'slack',
          template: 'error',
          message: `${folder.path}/own/slack/error.yaml:1:8: "fit" needs a number of characters, as in fit: 80`,
        },
      ]);
    });

    it('give way even where they are no templates at all', () => {
      const renderer = rendererWith(files);
      expect(renderer.email({ ...BARE, status: 1 }, { templateSet: 'own' }).subject).to.equal(
        '[Failed] Get items',
      );
      expect(renderer.failures).to.have.lengthOf(1);
    });

    it('take no more than a moment', () => {
      const loop =
        '{% for a in (1..900) %}{% for b in (1..900) %}{% for c in (1..900) %}{% endfor %}{% endfor %}{% endfor %}';
      const renderer = rendererWith({ 'own/slack/succeeded.yaml': `text: "${loop}"` });
      expect(renderer.slack(BARE, { templateSet: 'own' }).text).to.equal('✅ Get items succeeded');
      expect(renderer.failures[0]?.message).to.match(/limit exceeded/);
    });

    it('print no more than any channel takes', () => {
      const renderer = rendererWith({
        'own/email/succeeded.yaml': 'text: "{% for a in (1..900) %}{{ message }}{% endfor %}"',
      });
      const message = 'x'.repeat(20_000);
      expect(renderer.email({ ...BARE, message }, { templateSet: 'own' }).subject).to.equal(
        '[Succeeded] Get items',
      );
      expect(renderer.failures[0]?.message).to.match(/the message is longer than any channel takes$/);
    });
  });

  describe('that render each other', () => {
    const partials = {
      'own/slack/_a.liquid': '{% if output.deep %}{% render "b" %}{% endif %}',
      'own/slack/_b.liquid': '{% render "a" %}',
      'own/slack/succeeded.yaml': 'text: \'{% render "a" %}\'\n',
    };

    it('are warned of, and give way to the built-in one, with a word in the log, where a message never ends', () => {
      const renderer = rendererWith(partials);
      const [problem, ...others] = renderer.check([SLACK]);
      expect(others).to.deep.equal([]);
      expect(problem).to.deep.include({
        place: { file: `${folder.path}/own/slack/_b.liquid`, line: 1, column: 1 },
        severity: 'warning',
      });
      expect(problem?.message).to.match(/^"a" renders itself/);
      const told = renderer.slack({ ...BARE, output: { deep: 'x' } }, { templateSet: 'own' });
      expect(told.text).to.include('Get items');
      expect(renderer.failures[0]?.message).to.match(/_[ab]\.liquid:1:\d+: partials render each other/);
      expect(renderer.failures).to.have.length(1);
    });

    it('are an error of the check where no message ends', () => {
      const problems = rendererWith({ ...partials, 'own/slack/_a.liquid': '{% render "b" %}' }).check([
        SLACK,
      ]);
      expect(
        problems.filter(({ severity }) => severity === 'error').map(({ message }) => message),
      ).to.deep.equal(['partials render each other more than 100 deep']);
    });
  });

  for (const set of ['__proto__', 'constructor', 'toString'])
    it(`are found where the set is named "${set}", and print only what is the sender’s own`, () => {
      const renderer = rendererWith({
        [`${set}/slack/succeeded.yaml`]: `text: 'mine{{ output.${set} }}{{ callback.${set} }}{% render "${set}" %}'`,
        [`${set}/slack/_${set}.liquid`]: ', too',
      });
      const target = { ...SLACK, templateSet: set };
      expect(renderer.check([target])).to.deep.equal([]);
      expect(renderer.slack({ ...BARE, output: {} }, { templateSet: set }).text).to.equal('mine, too');
      const missing = rendererWith({}).check([{ ...SLACK, templateSet: `${set}x` }]);
      expect(missing.map(({ message }) => message).join()).to.match(/^there is no template set/);
    });

  describe('stay in their folder', () => {
    const outside = 'text: "from outside"';

    const refusedAt = (path: string) => {
      const [problem, ...others] = testRenderer({ templatesFolder: `${folder.path}/templates` }).check([
        SLACK,
      ]);
      expect(others).to.deep.equal([]);
      expect(problem).to.deep.include({
        place: { file: `${folder.path}/templates/${path}`, line: 1, column: 1 },
        severity: 'error',
      });
      expect(problem?.message).to.match(
        /^a symbolic link leads from here out of the folder of templates, \//,
      );
    };

    for (const { name, path } of [
      { name: 'a template', path: 'own/slack/succeeded.yaml' },
      { name: 'a partial', path: 'own/slack/_line.liquid' },
    ])
      it(`where ${name} is a link to a file elsewhere`, () => {
        folder.write({ 'secret.yaml': outside, 'templates/own/slack/error.yaml': 'text: x' });
        symlinkSync(`${folder.path}/secret.yaml`, `${folder.path}/templates/${path}`);
        refusedAt(path);
      });

    for (const path of ['own', 'own/slack'])
      it(`where the folder ${path} is a link to one elsewhere, also to one whose name begins alike`, () => {
        folder.write({
          'templates/en/slack/error.yaml': 'text: x',
          'templates/own/email/error.yaml': 'subject: x\ntext: x',
          'templates-elsewhere/slack/succeeded.yaml': outside,
          'templates-elsewhere/succeeded.yaml': outside,
        });
        if (path === 'own') rmSync(`${folder.path}/templates/own`, { recursive: true });
        symlinkSync(
          '../'.repeat(path.split('/').length) + 'templates-elsewhere',
          `${folder.path}/templates/${path}`,
        );
        refusedAt(path);
      });

    it('where a link leads nowhere', () => {
      folder.write({ 'own/slack/error.yaml': 'text: x' });
      symlinkSync('nowhere.yaml', `${folder.path}/own/slack/succeeded.yaml`);
      const [problem] = testRenderer({ templatesFolder: folder.path }).check([SLACK]);
      expect(problem).to.include({ severity: 'error', message: 'this template cannot be read' });
    });

    it('and are read where Kubernetes mounts a config map: links to links inside of it', () => {
      folder.write({ '..2026_11_20/own/slack/succeeded.yaml': 'text: "mounted"' });
      symlinkSync('..2026_11_20', `${folder.path}/..data`);
      symlinkSync('..data/own', `${folder.path}/own`);
      folder.write({ 'more/slack/..2026/succeeded.yaml': 'text: "mounted, too"' });
      symlinkSync('..2026', `${folder.path}/more/slack/..data`);
      symlinkSync('..data/succeeded.yaml', `${folder.path}/more/slack/succeeded.yaml`);
      const renderer = testRenderer({ templatesFolder: folder.path });
      expect(renderer.check([SLACK, { ...SLACK, templateSet: 'more' }])).to.deep.equal([]);
      expect(renderer.slack(BARE, { templateSet: 'own' }).text).to.equal('mounted');
      expect(renderer.slack(BARE, { templateSet: 'more' }).text).to.equal('mounted, too');
    });

    it('which may itself be a link', () => {
      folder.write({ 'real/own/slack/succeeded.yaml': 'text: "linked"' });
      symlinkSync('real', `${folder.path}/templates`);
      const renderer = testRenderer({ templatesFolder: `${folder.path}/templates` });
      expect(renderer.check([SLACK])).to.deep.equal([]);
      expect(renderer.slack(BARE, { templateSet: 'own' }).text).to.equal('linked');
    });
  });

  describe('read no files', () => {
    for (const tag of ['include', 'render', 'layout']) {
      it(`with {% ${tag} %}`, () => {
        const problems = problemsOf(`text: '{% ${tag} "package.json" %}'`);
        expect(problems).to.deep.equal(['1:8: there is no partial "_package.json.liquid"']);
      });
    }
  });
});

describe('a link template', () => {
  it('is checked like a template', () => {
    const renderer = testRenderer({
      links: { job: 'https://example.com/{{ jb_id }}', file: 'https://{% x %}' },
    });
    expect(
      renderer.check([]).map(({ place, message }) => `${place.file}:${place.column}: ${message}`),
    ).to.deep.equal([
      'display.links.job:24: there is no variable "jb_id"; did you mean "job_id"?',
      'display.links.file:9: there is no tag "x"',
    ]);
    expect(slackFormat.asText(renderer.slack(readFixture('files.json')))).not.to.include('https://');
  });
});
