import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { createLinks } from '../../src/render/links.ts';
import { samplesOf } from '../../src/render/samples.ts';
import { viewOf } from '../../src/render/view.ts';
import { TEMPLATE_NAMES } from '../../src/notice/notice.ts';
import { readFixture } from '../support/callbacks.ts';
import { targetOf, ownTemplates, testRenderer } from './render-fixture.ts';

const TEXT = readFileSync(new URL('../../docs/templates.md', import.meta.url), 'utf8');
const TEMPLATES = [...TEXT.matchAll(/^(`{3,})yaml\n# templates\/(\S+)\n([\s\S]*?)^\1$/gm)].map(
  ([, , path = '', text = '']) => [path, text] as const,
);
const FILTER_ROWS = [...TEXT.matchAll(/^\| `([^`]+)` +\|[^\n]*\| `(\{\{[^`]+)` +\| `([^`]+)` +\|$/gm)].map(
  (row) => row.slice(1).map((cell) => cell.replaceAll('\\|', '|').replaceAll('↵', '\n')),
);

describe('the documentation of templates', () => {
  it('shows templates without a problem', async () => {
    const renderer = testRenderer({ own: await ownTemplates(Object.fromEntries(TEMPLATES)) });
    const targets = [targetOf('slack', 'short'), targetOf('email', 'short')];
    expect(TEMPLATES).to.have.lengthOf(3);
    expect(await renderer.check(targets)).to.deep.equal([]);
    const options = { templateSet: 'short' };
    const callback = readFixture('succeeded.json');
    expect(renderer.slack(callback, options).text).to.equal('✅ 商品取得BOT: 2 items');
    expect(renderer.email(callback, options).subject).to.include('商品取得BOT: 2 items');
    expect(renderer.email(readFixture('error.json'), options).subject).to.equal('請求書取込BOT failed');
    const drawn = renderer.slack({ ...callback, status: 1, message: 'x' }, options);
    const types = ['section', 'section'];
    expect(drawn.blocks?.map(({ type }) => type)).to.deep.equal(types);
  });

  for (const [filter = '', example = '', printed = ''] of FILTER_ROWS) {
    it(`says what ${filter} prints`, async () => {
      const template = JSON.stringify({ text: example });
      const renderer = testRenderer({ own: await ownTemplates({ 'one/email/succeeded.yaml': template }) });
      const { text } = renderer.email(readFixture('succeeded.json'), { templateSet: 'one' });
      expect(text.trim()).to.equal(printed);
      expect(renderer.failures).to.deep.equal([]);
    });
  }

  it('names every filter and every variable', () => {
    expect(FILTER_ROWS).to.have.lengthOf(7);
    const display = { language: 'en', timezone: 'UTC', links: {} } as const;
    for (const name of TEMPLATE_NAMES)
      for (const variable of Object.keys(viewOf(samplesOf(name)[0], display, createLinks(display))))
        expect(TEXT, name).to.include(`\`${variable}\``);
    for (const name of TEMPLATE_NAMES) expect(TEXT).to.include(`\`${name}\``);
  });
});
