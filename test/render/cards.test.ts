import { mock } from 'node:test';
import { expect } from 'chai';
import type { Language } from '../../src/time/display.ts';
import { slackAsText } from '../../src/channels/slack/preview.ts';
import { BUILT_IN_TEMPLATES } from '../../src/package-files.ts';
import { cardOf } from '../../src/render/card-template.ts';
import { viewOutputs } from '../../src/render/outputs.ts';
import { FIXTURE_NAMES, readFixture } from '../support/callbacks.ts';
import { BARE, LINKS, type TestRenderer } from './render-fixture.ts';
import { ownTemplates, targetOf, testRenderer } from './render-fixture.ts';
import { expectWellFormed } from './mail-rules.ts';
import { expectAcceptable, richLinks, richRuns } from './slack-rules.ts';

const LANGUAGES: readonly Language[] = ['en', 'ja'];
for (const language of LANGUAGES) {
  describe(`the built-in templates in ${language}`, () => {
    // However slow the machine, no rendering runs out of its time.
    beforeEach(() => void mock.method(performance, 'now', () => 0));
    afterEach(() => mock.restoreAll());

    const renderer = testRenderer({ language, links: LINKS });

    it('have no problems', async () => {
      const targets = [targetOf('slack'), targetOf('email')];
      // As somebody's own, since `check` takes the built-in ones for good.
      const own = testRenderer({ language, links: LINKS, own: await ownTemplates(BUILT_IN_TEMPLATES) });
      expect(await own.check(targets)).to.deep.equal([]);
    });

    for (const name of FIXTURE_NAMES)
      it(`tell ${name} within the limits of Slack, and by mail that is whole`, () => {
        expectAcceptable(renderer.slack(readFixture(name)));
        const { subject, text, html } = renderer.email(readFixture(name));
        for (const part of [subject, text]) expect(part.trim()).not.to.equal('');
        expectWellFormed(html);
        expect(renderer.failures).to.deep.equal([]);
      });

    it('say of what a person has delivered late how long ago it came, and of nothing else', () => {
      const words = {
        en: 'Delivered late: this came 2 d ago',
        ja: '2日前に受信した通知を遅れてお届けしています',
      }[language];
      for (const status of [0, 1, 2] as const) {
        const told = (options: object) => {
          const { text, html } = renderer.email({ ...BARE, status }, options);
          return [JSON.stringify(renderer.slack({ ...BARE, status }, options).blocks), text, html];
        };
        for (const late of told({ delayedMs: 2 * 86_400_000 })) expect(late).to.include(words);
        for (const ordinary of told({})) expect(ordinary).not.to.include(words);
      }
    });

    it('leave out a start and a duration that are none', () => {
      const wrong = /Infinity|NaN|-5|GMT|JST|1年|Jan|undefined|[ 始（]$|（）/mu;
      for (const status of [0, 1, 2] as const)
        for (const elapsed_time of [-5, Infinity]) {
          const callback = { ...BARE, status, elapsed_time, start_time: '0001-01-01T00:00:00Z' };
          const { text: line, blocks = [] } = renderer.slack(callback);
          const { subject, text } = renderer.email(callback);
          const shown = richRuns(blocks).map((run) => (typeof run['text'] === 'string' ? run['text'] : ''));
          for (const part of [line, subject, ...shown.join('').split(' · '), text])
            expect(part).not.to.match(wrong);
        }
    });

    it('name a BOT by its id where its name would show nothing', () => {
      for (const bot_name of ['', ' ', '\u200b\u3000'])
        for (const status of [0, 1, 2] as const) {
          const nameless = { ...BARE, status, bot_id: 'get_items', bot_name };
          const { subject, text, html } = renderer.email(nameless);
          const { text: line, blocks = [] } = renderer.slack(nameless);
          const begins = [text.slice(0, 20), html.split('</h1>')[0], JSON.stringify(blocks[0])];
          for (const part of [subject, line, ...begins]) expect(part, String(status)).to.include('get_items');
        }
    });
  });
}

describe('the built-in Slack messages', () => {
  const english = testRenderer();
  const japanese = testRenderer({ language: 'ja' });
  const shown = (renderer: TestRenderer, name: string) => slackAsText(renderer.slack(readFixture(name)));

  it('say what came out of a run, and how long it took', () => {
    expect(shown(english, 'succeeded.json')).to.equal(
      [
        '✅ 商品取得BOT',
        'Succeeded in 6 s',
        '件数  2',
        '商品 (2)',
        '商品名 | 価格 | 画像 | タグ',
        'チーズケーキ | 500 | 0001.jpg | ケーキ, チーズ',
        'ガトーショコラ | 600 | 0002.jpg | ケーキ, チョコ',
        '📎 0001.jpg (589.8 KB)',
        '📎 0002.jpg (678.2 KB)',
        'Started 2 Dec 2019, 14:30:13 (GMT+9) · BOT get_items · Job 5f0c1f7e-8a37-4a52-9f0e-2f9c5f5a7d01',
      ].join('\n'),
    );
  });

  it('show the message of an error first, as it is, and are complete in the notification line alone', () => {
    const message = 'タスク 3「ログイン」で要素が見つかりませんでした: #login-button <timeout 30s> & retry=0';
    const lines = shown(japanese, 'error.json').split('\n');
    expect(lines.slice(0, 3)).to.deep.equal(['❌ 請求書取込BOT', 'エラー · 所要時間 42秒', message]);
    const escaped = message.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;');
    const { text: failed } = english.slack(readFixture('error.json'));
    expect(failed).to.equal(`❌ 請求書取込BOT failed after 42 s: ${escaped}`);
    const { text } = japanese.slack(readFixture('succeeded.json'));
    expect(text).to.equal('✅ 商品取得BOT が成功しました（6秒）');
  });

  it('lead from what they leave out to the job, else to Botbell’s page', () => {
    const many = { ...BARE, job_id: 'j 1', output: { rows: Array.from({ length: 1234 }, String) } };
    const toJob = richLinks(testRenderer({ links: LINKS, pageUrl: 'https://bell.example/' }).slack(many));
    expect(toJob).to.include('… 1,135 more <https://example.com/jobs/j%201>');
    const [toPage] = richLinks(testRenderer({ pageUrl: 'https://bell.example/' }).slack(many));
    expect(toPage).to.equal('… 1,135 more <https://bell.example/callbacks?job_id=j%201>');
  });
});

describe('a card', () => {
  it('is clean where it is one line, whatever its template prints and its callback is named', () => {
    const line = `${'\u001b[31m'.repeat(500)} a\u202e\nb\u001b[0m `;
    const link = { text: line, url: 'https://jobs.example/1' };
    const facts = [{ name: line, value: '1', url: '' }];
    const nowhere = { urlOf: () => '', instantText: () => '' };
    const view = { outputs: () => viewOutputs({ [line]: 1 }, nowhere) };
    const of = { name: 'succeeded', language: 'en', view } as const;
    const card = cardOf({ title: line, summary: line, facts, link, footer: line }, of);
    const names = [...card.facts, ...card.outputs].map(({ name }) => name);
    const lines = [card.title, card.summary, card.link?.text, card.footer, ...names];
    expect(lines).to.deep.equal(lines.map(() => 'a b'));
    const { title } = cardOf({ title: `x${'𠮷'.repeat(2000)}` }, of);
    expect(title).to.match(/^x𠮷{900,}…$/u);
  });
});
