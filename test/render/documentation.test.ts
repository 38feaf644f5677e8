import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { RenderTarget } from '../../src/render/templates/catalog.ts';
import { memberNames } from '../../src/render/view/shapes.ts';
import { SHAPE_OF } from '../../src/render/view/view.ts';
import { TEMPLATE_NAMES } from '../../src/notice/notice.ts';
import { readFixture, templateFolder, testRenderer } from './render-fixture.ts';

const TEXT = readFileSync(new URL('../../docs/templates.md', import.meta.url), 'utf8');
const TEMPLATES = [...TEXT.matchAll(/^(`{3,})yaml\n# templates\/(\S+)\n([\s\S]*?)^\1$/gm)].map(
  ([, , path = '', text = '']) => [path, text] as const,
);
const FILTER_ROWS = [...TEXT.matchAll(/^\| `([^`]+)` +\|[^\n]*\| `(\{\{[^`]+)` +\| `([^`]+)` +\|$/gm)].map(
  (row) => row.slice(1).map((cell) => cell.replaceAll('\\|', '|').replaceAll('↵', '\n')),
);

describe('the documentation of templates', () => {
  const folder = templateFolder();

  it('shows templates without a problem', () => {
    const renderer = testRenderer({ templatesFolder: folder.write(Object.fromEntries(TEMPLATES)).path });
    const targets = ['slack', 'email'].map((format): RenderTarget => ({
      format,
      templateSet: 'short',
      options: {},
    }));
    expect(TEMPLATES).to.have.lengthOf(4);
    expect(renderer.check(targets)).to.deep.equal([]);
    const options = { templateSet: 'short' };
    expect(renderer.slack(readFixture('succeeded.json'), options).text).to.equal('✅ 商品取得BOT: 2 items');
    expect(renderer.email(readFixture('error.json'), options).subject).to.equal('請求書取込BOT failed');
    const rich = renderer.slack({ ...readFixture('succeeded.json'), status: 1 }, options);
    expect(rich.blocks?.map(({ type }) => type)).to.deep.equal(['rich_text', 'table', 'rich_text']);
    const { html } = renderer.email(readFixture('succeeded.json'), options);
    expect(html).to.include('<p>Well done, 商品取得BOT.</p>').and.to.include('✓ Done'.slice(2));
  });

  for (const [filter = '', example = '', printed = ''] of FILTER_ROWS) {
    it(`says what ${filter} prints`, () => {
      const template = JSON.stringify({ text: example });
      const renderer = testRenderer({
        templatesFolder: folder.write({ 'one/slack/succeeded.yaml': template }).path,
      });
      expect(renderer.slack(readFixture('succeeded.json'), { templateSet: 'one' }).text).to.equal(printed);
      expect(renderer.failures).to.deep.equal([]);
    });
  }

  it('names every filter and every variable', () => {
    expect(FILTER_ROWS).to.have.lengthOf(17);
    for (const variable of Object.values(SHAPE_OF).flatMap(memberNames)) {
      expect(TEXT).to.include(`\`${variable}\``);
    }
    for (const name of TEMPLATE_NAMES) expect(TEXT).to.include(`\`${name}\``);
  });
});
