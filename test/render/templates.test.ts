/** A user's own templates: what is found wrong with them, which one is used, and what happens when one fails. */
import { symlinkSync } from 'node:fs';
import { expect } from 'chai';
import { TEMPLATE_NAMES } from '../../src/notice/notice.ts';
import { fingerprintOf } from '../../src/render/template-folder.ts';
import { slackAsText } from '../../src/channels/slack/preview.ts';
import { noticeAbout } from '../support/callbacks.ts';
import { BARE, ownTemplates, problemsOf, rendererWith } from './render-fixture.ts';
import { targetOf, templateFolder, testRenderer } from './render-fixture.ts';

const SLACK = targetOf('slack', 'own');
const CARD = 'title: t\nsummary: s\n';
/** Longer than any name, so that none is near it. */
const LONG = 'x'.repeat(101);

describe('a user’s templates', () => {
  describe('of a card are checked', () => {
    const problemsOfCard = (text: string) => problemsOf({ 'own/card/succeeded.yaml': text });
    const address =
      'an address can only be "job_url", "page_url", "incident_url", "link_url" or the "url" of a file, and it alone';
    const noAddress =
      'must be an http:// or https:// address, or one variable that gives one: "{{ job_url }}"';
    const expression =
      'here stands a value, or values with an operator between them, and behind them filters: {% if code == 500 and attempt > 1 %}';
    /** By the lines behind a title and a summary. */
    const faults: Readonly<Record<string, string>> = {
      'text: "{{ bot_nmae }}"': '3:11: there is no variable "bot_nmae"; did you mean "bot_name"?',
      // In a branch that no sample takes.
      'text: "{% if bot_id == \'never\' %}{{ elapsd }}{% endif %}"':
        '3:37: there is no variable "elapsd"; did you mean "elapsed"?',
      [`text: "{{ ${LONG} }}"`]: `3:11: there is no variable "${LONG}"`,
      'text: "{{ bot_name | upcas }}"': '3:8: there is no filter "upcas"; did you mean "upcase"?',
      'text: "{% caputre x %}"': '3:8: there is no tag "caputre"; did you mean "capture"?',
      "text: '{{ message | default: “none” }}'":
        '3:30: typographic quotes, as “ and ”, begin and end no text: write straight ones',
      'text: "{% if message %}x"': '3:8: tag {% if message %} not closed',
      'text: {{ bot_name }}':
        '3:7: a value that begins with {{ or {% is read as a YAML map: put the whole value in quotes',
      'text: "{% if code = 500 %}x{% endif %}"':
        '3:19: values are compared by == and the like, conditions joined by and, or',
      'text: "a {% if code <> 500 %}x{% endif %}"':
        '3:21: values are compared by == and the like, conditions joined by and, or',
      'text: "{% if code == 500 message %}x{% endif %}"': `3:14: ${expression}`,
      'text: "{{ message }}{{ message bot_id }}"': `3:24: ${expression}`,
      'text: "{% comment %}{% if a = 1 %}{% endcomment %}{{ message.trim() }}"':
        '3:66: parentheses are for ranges alone: (1..3)',
      '{% if message %}':
        '3:1: a tag stands within a value, in its quotes, not around keys: text: "{% if message %}…{% endif %}"',
      'facts:\n  {% for each in outputs %}\n  - { name: "{{ each.name }}", value: x }\n  {% endfor %}':
        '4:3: a tag stands within a value, in its quotes, not around keys: text: "{% if message %}…{% endif %}"',
      'txt: hello': '3:1: txt: unknown key; did you mean "text"?',
      'text: [x, "{{ bot_nmae }}"]': '3:15: there is no variable "bot_nmae"; did you mean "bot_name"?',
      'text: [x, 1]': '3:1: text must be text, or a list of texts',
      'facts: [{ name: x, value: [[x]] }]': '3:20: facts[0].value must be text, or a list of texts',
      'link: { text: x, url: ["https://example.com/", "{{ job_id }}"] }': '3:18: link.url must be text',
      'image: x':
        '3:1: image: unknown key; known: title, summary, text, message, facts, outputs, link, footer',
      'text: 5': '3:1: text must be text, or a list of texts',
      'footer:':
        '3:1: footer has no value: give one (in quotes where it begins with #), or leave the key out',
      'facts: x': '3:1: facts must be a list, such as [a, b]',
      'link: x': '3:1: link must be a map of keys and values',
      'outputs: maybe': '3:1: outputs must be true or false',
      'facts: [{ nmae: x, value: y }]': '3:11: facts[0].nmae: unknown key; did you mean "name"?',
      'link: { text: x, url: "https://example.com/{{ bot_id }}" }':
        '3:44: a value of the callback cannot stand here, where no escaping makes it safe: write the text out, with {% if %} between several',
      'link: { text: x, url: "javascript:alert(1)" }': `3:18: link.url ${noAddress}`,
      'facts: [{ name: x, value: y, url: /jobs/1 }]': `3:30: facts[0].url ${noAddress}`,
      'link: { text: x, url: "{{ output.url_of_it }}" }': `3:24: ${address}`,
      'link: { text: x, url: "{{ callback.url }}" }': `3:24: ${address}`,
      'link: { text: x, url: "{{ job_url | default: output.page.url }}" }': `3:24: ${address}`,
    };
    for (const [text, expected] of Object.entries(faults))
      it(`for what is wrong, and where: ${text}`, async () => {
        expect(await problemsOfCard(`${CARD}${text}\n`)).to.deep.equal([expected]);
      });

    it('for what is missing, and for a loop that never ends', async () => {
      expect(await problemsOfCard('title: t\n')).to.deep.equal(['1:1: summary is missing']);
      const parts = '"title", "summary", "text", "message", "facts", "outputs", "link", "footer"';
      expect(await problemsOfCard('# none\n')).to.deep.equal([
        `1:1: a template is a map that gives ${parts}`,
      ]);
      const loop = '{% for a in (1..900000) %}{% for b in (1..900000) %}{{ a }}{% endfor %}{% endfor %}';
      expect((await problemsOfCard(`${CARD}text: "${loop}"\n`)).join()).to.match(/limit exceeded/);
    });

    it('for a list of strings in place of a text with markup, in which one could act on the next', async () => {
      const message = 'text: ["<https://example.com/", "{{ bot_id }}>"]\n';
      const problems = await problemsOf({ 'own/slack/succeeded.yaml': message });
      expect(problems).to.deep.equal(['1:1: text must be text']);
    });

    it('and may ask for whatever a callback may hold beside the interface’s fields', async () => {
      const text = `${CARD}text: "{{ output.件数 }}{{ callback.more.of[0].it }}{% for o in outputs %}{{ o.items[0].名前 }}{% endfor %}"\n`;
      expect(await problemsOfCard(text)).to.deep.equal([]);
    });

    it('for names of files and folders that nothing reads, and for a file that cannot be read', async () => {
      const path = templateFolder({
        'own/card/eror.yaml': CARD,
        'own/slak/error.yaml': 'text: x',
        'own/teams/error.yaml': 'text: x',
        'own/error.yaml': CARD,
        'own/_head.liquid': 'x',
        'own/card/_foot.liquid': 'x',
        'own/README.md': 'Ours.',
      });
      symlinkSync('.', `${path}/own/card/succeeded.yaml`);
      const problems = await testRenderer({ own: await ownTemplates(path) }).check([SLACK]);
      const cards = TEMPLATE_NAMES.map((name) => `card/${name}.yaml`).join(', ');
      expect(problems.map(({ fault }) => fault.in('en'))).to.have.members([
        'nothing uses the file "card/eror.yaml"; did you mean "card/error.yaml"?',
        'nothing uses the file "slak/error.yaml"; did you mean "slack/error.yaml"?',
        'nothing uses the file "teams/error.yaml"; did you mean "card/error.yaml"?',
        'nothing uses the file "error.yaml"; did you mean "card/error.yaml"?',
        `nothing uses the file "_head.liquid"; known: ${cards}`,
        `nothing uses the file "card/_foot.liquid"; known: ${cards}`,
        'cannot be read: it is a folder',
      ]);
    });
  });

  describe('are found', () => {
    const card = (summary: string) => `title: t\nsummary: ${summary}\n`;

    const mine = { 'own/card/succeeded.yaml': card('mine') };
    const own = 'text: "own"';
    for (const [what, files, found] of [
      ['the user’s before the built-in', mine, '✅ mine'],
      ['a channel’s own before the card', { ...mine, 'own/slack/succeeded.yaml': own }, 'own'],
      ['a set’s card before another set’s message', { ...mine, 'en/slack/succeeded.yaml': own }, '✅ mine'],
      [
        'in the display language’s set where a set lacks the file',
        { 'own/card/error.yaml': card('mine'), 'en/card/succeeded.yaml': card('of en') },
        '✅ of en',
      ],
    ] as const)
      it(what, async () => {
        const renderer = await rendererWith(files);
        expect(renderer.slack(BARE, { templateSet: 'own' }).text).to.equal(found);
      });

    it('for every channel at once', async () => {
      const renderer = await rendererWith({ 'own/card/succeeded.yaml': card('"{{ bot_name }}: done"') });
      expect(renderer.slack(BARE, { templateSet: 'own' }).text).to.equal('✅ Get items: done');
      expect(renderer.email(BARE, { templateSet: 'own' }).subject).to.include('Get items: done');
    });

    it('and a set’s language decides dates, durations and cut marks too', () => {
      const callback = { ...BARE, status: 1 as const, elapsed_time: 61, message: 'x'.repeat(9000) };
      const renderer = testRenderer({ language: 'en' });
      const text = slackAsText(renderer.slack(callback, { templateSet: 'ja' }));
      expect(text).to.include('1分1秒').and.to.include('文字省略').and.to.include('2026年11月20日');
      expect(text).not.to.match(/Failed|Started|left out/);
    });

    for (const set of ['__proto__', 'constructor', 'toString'])
      it(`where the set is named "${set}", and print only what is the sender’s own`, async () => {
        const text = `text: 'mine{{ output.${set} }}{{ callback.${set} }}'`;
        const renderer = await rendererWith({ [`${set}/slack/succeeded.yaml`]: text });
        expect(await renderer.check([{ ...SLACK, templateSet: set }])).to.deep.equal([]);
        expect(renderer.slack({ ...BARE, output: {} }, { templateSet: set }).text).to.equal('mine');
      });
  });

  describe('that fail', () => {
    const LOOP = `${'{% for a in (1..900) %}'.repeat(3)}${'{% endfor %}'.repeat(3)}`;
    for (const path of ['own/card/succeeded.yaml', 'own/slack/succeeded.yaml'])
      it(`give way to the built-in card, and that is told: ${path}`, async () => {
        const renderer = await rendererWith({ [path]: 'nonsense: x' });
        expect(renderer.slack(BARE, { templateSet: 'own' }).text).to.equal('✅ Get items succeeded');
        expect(renderer.failures.map(({ message }) => message).join()).to.include(`${path}:1:1: `);
      });

    it('by a filter do so for that callback alone', async () => {
      const fits = 'text: "{{ message | fit: message }}"';
      const renderer = await rendererWith({ 'own/slack/succeeded.yaml': fits });
      const lineOf = (message: string) => renderer.slack({ ...BARE, message }, { templateSet: 'own' }).text;
      expect(['x', '5'].map(lineOf)).to.deep.equal(['✅ Get items succeeded', '5']);
      expect(renderer.failures).to.have.lengthOf(1);
    });

    for (const [path, text] of [
      ['own/card/succeeded.yaml', `title: t\nsummary: "${LOOP}"\n`],
      ['own/slack/succeeded.yaml', `text: "${LOOP}"\n`],
    ] as const)
      it(`by taking their time hold up nobody twice, however many are told, and how: ${path}`, async () => {
        const renderer = await rendererWith({ [path]: text });
        const failures: string[] = [];
        const notice = noticeAbout(BARE, 1);
        for (const who of ['@here', 'U0AAAAAA1', 'U0AAAAAA2', 'U0AAAAAA3'])
          for (const format of ['slack', 'email'] as const) {
            const target = { ...targetOf(format, 'own'), options: { mention_on_error: [who] } };
            renderer.render(notice, target, ({ message }) => failures.push(message));
          }
        expect(failures).to.have.lengthOf(1);
        expect(failures[0]).to.match(/limit exceeded/);
      });
  });
});

describe('the fingerprint of a user’s templates, by which replicas and deliveries are compared', () => {
  const fingerprint = async (files: Record<string, string>) => fingerprintOf(await ownTemplates(files));

  it('changes with each of their texts and with what they are for, not with their order, and is none without any', async () => {
    const [error, card] = [{ 'en/slack/error.yaml': 'text: a' }, { 'en/card/error.yaml': 'title: b' }];
    expect(await fingerprint({ ...error, ...card })).to.equal(await fingerprint({ ...card, ...error }));
    const places = ['en/slack/error', 'ja/slack/error', 'en/email/error', 'en/slack/executing'];
    const folders = [...places.map((place) => ({ [`${place}.yaml`]: 'text: a' })), { ...error, ...card }, {}];
    const all = await Promise.all([...folders, { 'en/slack/error.yaml': 'text: b' }].map(fingerprint));
    expect(new Set(all)).to.have.property('size', all.length);
    expect(all.filter((each) => each === undefined)).to.have.lengthOf(1);
  });
});
