/** What holds of every view: read in both languages, by day and by night, on a desk and on a phone, with and without script. */
import { expect } from 'chai';
import { VIEW_PATHS } from '../../src/admin/page/page-router.tsx';
import { forAll } from '../support/anew.ts';
import { openOffice } from '../support/office.ts';
import { violationsOf } from './harness/axe.ts';
import { inBrowser, launchChromium } from './harness/chromium.ts';
import { knownIn, samplesOf } from './harness/every-view.ts';
import { DESK, PHONE, sidewaysScroll, visit, type Visitor } from './harness/visitor.ts';

/** In turns: views after one another are looked at in other languages, themes and widths. */
const READERS = [
  { locale: 'en-US', colorScheme: 'light', viewport: DESK },
  { locale: 'ja-JP', colorScheme: 'dark', viewport: PHONE },
  { locale: 'ja-JP', colorScheme: 'light', viewport: DESK },
  { locale: 'en-US', colorScheme: 'dark', viewport: PHONE },
] as const;

/** What a mistake of ours looks like. */
const SLIPS = /undefined|\bNaN\b|\[object |Invalid Date|\bnull\b|Infinity/;

/** Names that are the same in both languages, and how many need somebody. */
const JAPANESE = /[\u3040-\u30ff\u4e00-\u9fff]|^(BOT( \d+)?|English)$/;

/** What the page itself says, but for what is foreign in it. */
const OWN_WORDS = ':is(h2, th[scope=col], label, legend, button, summary, nav a):not(:has(bdi), :empty)';

inBrowser('Every view', () => {
  const browser = forAll(() => launchChromium());
  const office = forAll(() => openOffice());
  let addresses: (path: string) => readonly string[];
  let visitor: Visitor | undefined;

  before(() => {
    const known = knownIn(office.store.file, []);
    addresses = (path) => samplesOf(path, known);
  });

  const come = async (options: Partial<Parameters<typeof visit>[1]>) => {
    visitor = await visit(browser, { url: `http://127.0.0.1:${office.port}`, ...options });
    return visitor;
  };

  afterEach(async () => {
    await visitor?.close();
    visitor = undefined;
  });

  for (const [index, path] of VIEW_PATHS.entries()) {
    const reader = READERS[index % READERS.length] ?? READERS[0];
    const { locale, colorScheme, viewport } = reader;
    const how = `in ${locale}, ${colorScheme}, ${viewport.width} pixels wide`;
    it(`fits, reads well and is accessible ${how}: ${path}`, async () => {
      const { page, open, troubles } = await come(reader);
      for (const address of addresses(path)) {
        expect(await open(address), address).to.equal(200);
        expect(await sidewaysScroll(page), `${address} scrolls sideways`).to.equal(0);
        expect(await violationsOf(page), address).to.deep.equal([]);
        const main = await page.locator('main').innerText();
        expect(main, address).not.to.match(SLIPS);
        expect(await page.locator('h1').count(), address).to.equal(1);
        expect(await page.locator('html').getAttribute('lang')).to.equal(locale.slice(0, 2));
        const words = await page.locator(OWN_WORDS).allTextContents();
        const foreign = locale === 'ja-JP' ? words.filter((word) => !JAPANESE.test(word)) : [];
        expect(foreign, address).to.deep.equal([]);
      }
      expect(troubles).to.deep.equal([]);
    });
  }

  for (const width of [320, 640, 700, 900, 1030, 1130])
    it(`scrolls only down in a window of ${width} pixels`, async () => {
      const { page, open } = await come({ viewport: { width, height: 800 } });
      for (const path of ['/', '/callbacks', '/dead', '/destinations', '/playground']) {
        await open(path);
        expect(await sidewaysScroll(page), path).to.equal(0);
      }
    });

  for (const path of VIEW_PATHS) {
    it(`can be read without script: ${path}`, async () => {
      const { page, open } = await come({ javaScriptEnabled: false });
      for (const address of addresses(path)) {
        expect(await open(address)).to.equal(200);
        const { body } = await office.get(address, { 'accept-language': 'en' });
        const tags = body.match(/<[a-z]/g);
        expect(await page.locator('*').count(), `${address} nests as it is written`).to.equal(tags?.length);
      }
    });
  }

  it('is reached by keyboard, past the navigation at once', async () => {
    const { page, open } = await come({});
    await open('/');
    await page.keyboard.press('Tab');
    const skip = page.locator('a.skip');
    expect(await skip.evaluate((link) => link === document.activeElement)).to.equal(true);
    const box = await skip.boundingBox();
    expect(box?.y, 'the skip link is seen when it has the focus').to.be.at.least(0);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    const isInside = await page.evaluate(
      `document.activeElement === document.body || document.activeElement.closest('main, footer') !== null`,
    );
    expect(isInside, 'what follows the skip link is in the content').to.equal(true);
  });
});
