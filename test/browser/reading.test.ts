/** What people come to the page for: to find out, by filters, a password where there is one, and a page that follows what happens. */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { request } from 'undici';
import { translator } from '../../src/admin/page/words.ts';
import { until } from '../support/proof-wait.ts';
import { inBrowser, launchChromium } from './harness/chromium.ts';
import { type Office, type OfficeOptions, openOffice } from './harness/office.ts';
import { sidewaysScroll, visit, type Visitor, type VisitorOptions } from './harness/visitor.ts';

const t = translator('en');

const rows = (page: Page) => page.locator('tbody tr');

inBrowser('The page', () => {
  let browser: Browser;
  let office: Office;
  let visitor: Visitor;

  const begin = async (options?: OfficeOptions) => {
    office = await openOffice(options);
  };
  const come = async (options: Partial<VisitorOptions> = {}) => {
    visitor = await visit(browser, { url: office.url, ...options });
    return visitor;
  };

  before(async () => {
    browser = await launchChromium();
  });

  after(() => browser.close());

  afterEach(async () => {
    await visitor.close();
    await office.close();
  });

  it('says in one sentence on top why a given callback reached nobody', async () => {
    await begin();
    const { page, open, troubles } = await come();
    await open('/');
    await page.getByRole('link', { name: 'Competitor price watch' }).first().click();
    await page.locator('a[href^="/callbacks/"]').first().click();
    const summary = await page.locator('.summary').innerText();
    expect(summary).to.contain('slack:#old-prices').and.to.contain('email:owner@example.com');
    expect(await page.locator('main').innerText()).to.contain('is_archived');
    expect(troubles).to.deep.equal([]);
  });

  for (const javaScriptEnabled of [true, false]) {
    it(`filters callbacks by an address that can be passed on, ${javaScriptEnabled ? 'with' : 'without'} script`, async () => {
      await begin();
      const { page, open, troubles } = await come({ javaScriptEnabled });
      await open('/callbacks');
      await page.getByText(t('filters')).click();
      await page.getByLabel(t('filter.bot_id')).fill('invoice-import');
      await page.getByLabel(t('filter.status')).selectOption('error');
      await page.getByLabel(t('filter.from')).fill('30d');
      await page.getByRole('button', { name: t('apply') }).click();
      const address = new URL(page.url());
      expect(Object.fromEntries(address.searchParams)).to.include({
        bot_id: 'invoice-import',
        status: 'error',
      });
      const found = await rows(page).allInnerTexts();
      expect(found.length).to.be.above(3);
      expect(found.filter((row) => !row.includes('請求書取込BOT') || !row.includes('Failed'))).to.deep.equal(
        [],
      );
      const passedOn = await come({ locale: 'ja-JP' });
      await passedOn.open(address.pathname + address.search);
      expect(await rows(passedOn.page).count()).to.equal(found.length);
      expect(await passedOn.page.locator('#field-bot_id').inputValue()).to.equal('invoice-import');
      expect(troubles).to.deep.equal([]);
    });
  }

  it('fits any window, and never scrolls sideways', async () => {
    await begin();
    for (const width of [320, 640, 700, 900, 1030, 1130]) {
      const { page, open, close } = await come({ viewport: { width, height: 800 } });
      for (const path of ['/', '/callbacks', '/dead', '/destinations', '/playground']) {
        await open(path);
        expect(await sidewaysScroll(page), `${path} at ${width} pixels`).to.equal(0);
      }
      await close();
    }
  });

  it('goes from page to page of a long list, and loses none', async () => {
    await begin();
    const { page, open } = await come();
    await open('/callbacks');
    const seen = new Set<string>();
    for (;;) {
      const links = page.locator('tbody th a[href^="/callbacks/"]');
      for (const each of await links.all()) seen.add((await each.getAttribute('href')) ?? '');
      const older = page.getByRole('link', { name: literally(t('older')) });
      if ((await older.count()) === 0) break;
      await older.click();
    }
    expect(seen.size).to.be.above(200);
  });

  it('says what of a filter makes no sense, and what is not there', async () => {
    await begin();
    const { page, open } = await come();
    expect(await open('/callbacks?status=perhaps&from=yesterday')).to.equal(400);
    expect(await page.locator('.lead').innerText()).to.match(
      /status.*succeeded, error, executing.*from.*2026-01-31/s,
    );
    expect(await page.locator('[name=from]').inputValue()).to.equal('yesterday');
    expect(await open('/callbacks/999999')).to.equal(404);
    expect(await open('/bots/nobody')).to.equal(404);
    expect(await open('/nowhere')).to.equal(404);
    expect(await page.locator('h1').innerText()).to.equal(t('notFound.title'));
  });

  it('asks for the password where there is one, slows who guesses, and lets in who knows it', async () => {
    await begin({ admin: `password: 'correct horse battery'` });
    const { page } = await come();
    await page.goto(`${office.url}/`).catch(() => undefined);
    expect(await page.locator('body').innerText()).not.to.contain('請求書取込BOT');
    const known = await come({ httpCredentials: { username: 'admin', password: 'correct horse battery' } });
    expect(await known.open('/')).to.equal(200);
    expect(await known.page.locator('main').innerText()).to.contain('請求書取込BOT');
    await known.close();
    const guesses = Array.from({ length: 30 }, (_, guess) =>
      request(`${office.url}/`, { headers: { authorization: `Basic ${btoa(`admin:guess ${guess}`)}` } }),
    );
    const statuses = (await Promise.all(guesses)).map(({ statusCode }) => statusCode);
    expect(new Set(statuses)).to.deep.equal(new Set([401]));
    const late = await come({ httpCredentials: { username: 'admin', password: 'correct horse battery' } });
    expect(await late.open('/'), 'from the address of the guesses').to.equal(200);
  });

  it('shows each message as its reader sees it, in a frame that can do nothing', async () => {
    await begin();
    const { page, open, troubles } = await come();
    await open('/callbacks?bot_id=get_items&status=succeeded');
    await page.locator('tbody').getByRole('link').first().click();
    await page.getByText(t('callback.message'), { exact: true }).first().click();
    const frame = page.frameLocator('iframe').first();
    expect(await frame.locator('body').innerText()).to.contain('チーズケーキ');
    const [element] = await page.locator('iframe').all();
    const inside = page.frames().find((each) => each !== page.mainFrame());
    expect(await inside?.evaluate<string>('String(self.origin)')).to.equal('null');
    expect(await element?.getAttribute('sandbox')).not.to.match(/allow-(scripts|same-origin|top|forms)/);
    expect(troubles).to.deep.equal([]);
  });

  for (const javaScriptEnabled of [true, false]) {
    it(`shows in the playground what would become of a callback, and sends nothing, ${javaScriptEnabled ? 'with' : 'without'} script`, async () => {
      await begin();
      const { page, open, troubles } = await come({ javaScriptEnabled });
      await open('/playground');
      const callback = {
        code: 500,
        job_id: 'tried',
        bot_id: 'invoice-of-tomorrow',
        bot_name: '明日の請求書',
        status: 1,
        start_time: '2026-11-20T09:00:00+09:00',
        message: 'It is only tried',
      };
      await page.getByLabel(t('playground.json')).fill(JSON.stringify(callback));
      await page.getByRole('button', { name: t('playground.preview') }).click();
      const result = page.locator('.playground > section').last();
      await until('the result', async () => (await result.innerText()).includes('slack:#bot-alerts'));
      expect(await result.innerText()).to.contain('email:ops@example.com');
      const frames = page.locator('.playground iframe');
      await frames.first().scrollIntoViewIfNeeded();
      expect(await page.frameLocator('.playground iframe').first().locator('body').innerText()).to.contain(
        'It is only tried',
      );
      await page.getByLabel(t('playground.json')).fill('{"code": 1}');
      await page.getByRole('button', { name: t('playground.preview') }).click();
      await until('what is wrong', async () => (await result.innerText()).includes('/job_id'));
      expect(office.remotes.slack.messages).to.have.lengthOf(0);
      expect(office.remotes.mail.mails).to.have.lengthOf(0);
      expect(troubles).to.deep.equal([]);
    });
  }
});

function literally(text: string): RegExp {
  return new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
}
